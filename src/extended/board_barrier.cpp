#include "extended/board_barrier.hpp"

#include <utility>

namespace aqueduct::extended {

BoardBarrier::BoardBarrier(Place place, RankId me, RankId size, std::vector<Doorbell*> others)
    : place_(place),
      me_(me),
      size_(size),
      group_count_(size <= kMostFlat ? 0 : (size + kGroup - 1) / kGroup),
      others_(std::move(others)) {}

std::uint64_t BoardBarrier::arrive(BarrierValue value) {
  const std::uint64_t ticket = arrived_.load(std::memory_order_relaxed) + 1;
  arrived_.store(ticket, std::memory_order_relaxed);
  std::atomic<std::uint64_t>& mine = place_.members[me_].of(ticket);
  if (group_count_ == 0) [[likely]] {
    mine.store(pack_arrival(ticket, value), std::memory_order_release);
    wake_others();
  } else {
    mine.store(pack_arrival(ticket, value), std::memory_order_seq_cst);
    if (announce_group(ticket)) wake_others();
  }
  return ticket;
}

// Writes the word of our group if everybody in it has arrived; false if somebody is missing.
bool BoardBarrier::announce_group(std::uint64_t ticket) {
  const RankId first = me_ / kGroup * kGroup;
  const RankId count = size_ - first < kGroup ? size_ - first : kGroup;
  if (!all_reached(place_.members + first, count, ticket)) return false;
  const std::uint64_t word = pack_arrival(ticket, combined(place_.members + first, count, ticket));
  std::atomic<std::uint64_t>& group = place_.groups[me_ / kGroup].of(ticket);
  std::uint64_t before = group.load(std::memory_order_relaxed);
  while (!has_reached(before, ticket) &&
         !group.compare_exchange_weak(before, word, std::memory_order_acq_rel)) {
  }
  return true;
}

bool BoardBarrier::all_reached(const BarrierWords* words, RankId count, std::uint64_t ticket) {
  for (RankId i = 0; i < count; ++i) {
    // The strongest order, for the sake of announce_group(); to the processor it is a load like any other.
    if (!has_reached(words[i].of(ticket).load(std::memory_order_seq_cst), ticket)) return false;
  }
  return true;
}

BarrierValue BoardBarrier::combined(const BarrierWords* words, RankId count, std::uint64_t ticket) {
  BarrierValue all;
  for (RankId i = 0; i < count; ++i) {
    all = combine(all, value_in(words[i].of(ticket).load(std::memory_order_relaxed)));
  }
  return all;
}

bool BoardBarrier::passed(std::uint64_t ticket) {
  if (passed_.load(std::memory_order_acquire) >= ticket) return true;
  const bool grouped = group_count_ != 0;
  if (!all_reached(grouped ? place_.groups : place_.members, grouped ? group_count_ : size_, ticket))
    return false;
  passed_.store(ticket, std::memory_order_release);
  return true;
}

BarrierValue BoardBarrier::value() {
  const bool grouped = group_count_ != 0;
  return combined(grouped ? place_.groups : place_.members, grouped ? group_count_ : size_,
                  arrived_.load(std::memory_order_relaxed));
}

}  // namespace aqueduct::extended
