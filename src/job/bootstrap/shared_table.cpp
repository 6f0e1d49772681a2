#include "job/bootstrap/shared_table.hpp"

#include <algorithm>
#include <bit>

#include "base/fatal.hpp"

namespace aqueduct::job {

SharedTable::SharedTable(SharedRoom& room, std::size_t place, RankId rows)
    : room_(room), place_(place), size_(rows) {
  if (rows > kMostRows) fatal("bootstrap", "a job of %u ranks; at most %u are possible", rows, kMostRows);
  std::byte* const begin = room_.map(place_, rows_bytes());
  head_ = reinterpret_cast<Head*>(begin);
  rows_ = reinterpret_cast<Gathered::Row*>(begin + sizeof(Head));
}

SharedTable::~SharedTable() {
  room_.unmap(reinterpret_cast<std::byte*>(head_), rows_bytes());
  if (data_) room_.unmap(data_, mapped_);
}

std::size_t SharedTable::rows_bytes() const {
  return round_up(sizeof(Head) + size_ * sizeof(Gathered::Row), kPage);
}

void SharedTable::write(RankId row, Bytes bytes) {
  std::byte* const to = reserve(row, bytes.size());
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
}

std::byte* SharedTable::reserve(RankId row, std::uint64_t bytes) {
  const std::uint64_t offset = head_->used.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes > kDataBytes || offset > kDataBytes - bytes) {
    fatal("bootstrap", "%llu bytes of one rank, after %llu of others; at most %zu are possible in all",
          static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset), kDataBytes);
  }
  rows_[row] = {offset, bytes};
  map_data(offset + bytes);
  return data_ + offset;
}

Gathered SharedTable::view() {
  const std::uint64_t used = head_->used.load(std::memory_order_relaxed);
  if (used > kDataBytes) {
    fatal("bootstrap",
          "shared memory is corrupted: ranks are said to have told %llu bytes; look for a stray write in any "
          "rank of this host",
          static_cast<unsigned long long>(used));
  }
  map_data(used);
  return {rows_, size_, {data_, used}};
}

void SharedTable::map_data(std::size_t bytes) {
  constexpr std::size_t kLeast = std::size_t{64} << 10;
  if (bytes <= mapped_) return;
  const std::size_t wanted = std::min(std::bit_ceil(std::max(bytes, kLeast)), kDataBytes);
  if (data_) room_.unmap(data_, mapped_);
  data_ = room_.map(place_ + kDataPlace, wanted);
  mapped_ = wanted;
}

}  // namespace aqueduct::job
