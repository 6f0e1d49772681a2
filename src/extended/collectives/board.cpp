#include "extended/collectives/board.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"

namespace aqueduct::extended::collectives {
namespace {

// Most vectors on a board are one word.
inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes != 0) {  // the pointers may be null where there is nothing
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

Board::Board(BoardShape shape, std::vector<Member> members, gex_Rank_t me)
    : shape_(shape), members_(std::move(members)), me_(me), operations_(16) {}

std::uint64_t Board::start(const Request& request) {
  return operations_.start(
      [&](Entry& entry, std::uint64_t) {
        entry.request = request;
        entry.published = false;
      },
      [this] { advance(); });
}

void Board::advance() {
  const std::uint64_t started = operations_.started();
  for (std::uint64_t number = operations_.completed() + 1; number <= started; ++number) {
    Entry& next = operations_[number];
    if (!next.published && !publish(next.request, number)) return;
    next.published = true;
    if (!finish(next.request, number)) return;
    operations_.complete(number);
  }
}

bool Board::all_stamped(std::uint64_t number) const {
  // The last member first: of all, it has had the least time.
  for (gex_Rank_t member = size(); member-- > 0;) {
    if (!stamped(member, number)) return false;
  }
  return true;
}

void Board::refuse_stamp(gex_Rank_t member, std::uint64_t seen, std::uint64_t number) const {
  const RankId writer = members_[member].rank;
  fatal("collective",
        "shared memory is corrupted: rank %u is seen at collective %llu where it can be at %llu; look for "
        "a stray write in rank %u",
        writer, static_cast<unsigned long long>(seen), static_cast<unsigned long long>(number), writer);
}

void Board::stamp(std::uint64_t number) {
  reinterpret_cast<Stamp*>(cell(me_, number))->number.store(number, std::memory_order_release);
  for (gex_Rank_t member = 0; member < size(); ++member) {
    if (member != me_) members_[member].doorbell->ring_if_needed();
  }
}

bool Board::may_write(std::uint64_t number) {
  if (number < known_stamped_ + shape_.rows) return true;
  const std::uint64_t needed = number - shape_.rows + 1;
  if (!all_stamped(needed)) return false;
  known_stamped_ = needed;
  return true;
}

bool Board::publish(const Request& request, std::uint64_t number) {
  if (request.kind == Kind::kBroadcast && me_ != request.root) return true;  // when it has read
  if (!may_write(number)) return false;
  copy(cell(me_, number) + shape_.data_offset, request.src, request.bytes);
  stamp(number);
  return true;
}

bool Board::finish(const Request& request, std::uint64_t number) {
  const bool is_root = me_ == request.root;
  if (request.kind == Kind::kBroadcast) {
    if (is_root) {
      if (request.dst != request.src) copy(request.dst, request.src, request.bytes);
      return true;
    }
    if (!stamped(request.root, number)) return false;
    copy(request.dst, data(request.root, number), request.bytes);
    if (number >= shape_.rows) known_stamped_ = std::max(known_stamped_, number - shape_.rows + 1);
    stamp(number);
    return true;
  }
  if (request.kind == Kind::kReduceToOne && !is_root) return true;
  if (!all_stamped(number)) return false;
  known_stamped_ = number;
  combine(request, number);
  return true;
}

// From the last member to the first, each on the left of what is there: the order of ranks is kept, nothing
// but the destination is written, and everybody computes the same.
void Board::combine(const Request& request, std::uint64_t number) {
  gex_Rank_t member = size() - 1;
  copy(request.dst, data(member, number), request.bytes);
  while (member-- > 0) request.combiner(data(member, number), request.dst, request.count);
}

}  // namespace aqueduct::extended::collectives
