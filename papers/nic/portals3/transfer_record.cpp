#include "papers/nic/portals3/transfer_record.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace aqueduct::portals3 {
namespace {

/// Calls `function(part)` for the pieces of `length` bytes at `offset`.
template <class Function>
void for_each_part(std::span<const Piece> pieces, std::uint64_t offset, std::uint64_t length,
                   Function function) {
  for (const Piece& piece : pieces) {
    if (length == 0) return;
    if (offset >= piece.bytes) {
      offset -= piece.bytes;
      continue;
    }
    const std::uint64_t bytes = std::min<std::uint64_t>(piece.bytes - offset, length);
    function(Piece{static_cast<std::byte*>(piece.base) + offset, bytes});
    offset = 0;
    length -= bytes;
  }
}

}  // namespace

bool TransferRecord::aim(const Region& region, std::uint64_t offset, std::uint64_t length) {
  const std::span<const Piece> all = region.pieces();
  if (length == 0) {
    aim_at_nothing();
    return true;
  }
  bytes = length;
  if (all.size() == 1) {
    one_ = {static_cast<std::byte*>(all[0].base) + offset, length};
    pieces = {&one_, 1};
    return true;
  }
  if (list_room_ < all.size()) {
    list_.reset(new (std::nothrow) Piece[all.size()]);
    list_room_ = list_ ? all.size() : 0;
    if (!list_) return false;
  }
  std::size_t count = 0;
  for_each_part(all, offset, length, [&](const Piece& part) { list_[count++] = part; });
  pieces = {list_.get(), count};
  return true;
}

void TransferRecord::aim_at_swap(std::uint64_t length) {
  one_ = {swap.data(), length};
  bytes = length;
  pieces = {&one_, length != 0 ? 1u : 0u};
  memory = 0;
}

void TransferRecord::aim_at_nothing() {
  bytes = 0;
  pieces = {};
}

TransferRecord* TransferPool::take() {
  if (free_ == nullptr) {
    const std::size_t count = std::size_t{4} << std::min<std::size_t>(chunks_.size(), 4);  // up to 64
    std::unique_ptr<TransferRecord[]> chunk{new (std::nothrow) TransferRecord[count]};
    if (chunk == nullptr) return nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      chunk[i].link = free_;
      free_ = &chunk[i];
    }
    chunks_.push_back(std::move(chunk));
  }
  TransferRecord* message = free_;
  free_ = message->link;
  ++taken_;
  message->doomed = false;
  message->link = nullptr;
  message->next = nullptr;
  message->memory = 0;
  message->descriptor = nullptr;
  return message;
}

void TransferPool::give_back(TransferRecord& message) {
  message.link = free_;
  free_ = &message;
  --taken_;
}

void gather(const Region& region, std::uint64_t offset, std::span<std::byte> to) {
  std::byte* next = to.data();
  for_each_part(region.pieces(), offset, to.size(), [&](const Piece& part) {
    std::memcpy(next, part.base, part.bytes);
    next += part.bytes;
  });
}

void scatter(std::span<const std::byte> from, const Region& region, std::uint64_t offset) {
  const std::byte* next = from.data();
  for_each_part(region.pieces(), offset, from.size(), [&](const Piece& part) {
    std::memcpy(part.base, next, part.bytes);
    next += part.bytes;
  });
}

}  // namespace aqueduct::portals3
