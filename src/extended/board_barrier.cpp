#include "extended/board_barrier.hpp"

namespace aqueduct::extended {

BoardBarrier::BoardBarrier(core::Rank& rank, unsigned instance)
    : neighbourhood_(*rank.neighbourhood()), me_(rank.id()), size_(rank.size()), instance_(instance) {
  static_assert(2 * sizeof(Line) <= core::kBoardBytesPerRank);
}

std::uint64_t BoardBarrier::arrive(core::Thread&, BarrierValue value) {
  const std::uint64_t ticket = arrived_.fetch_add(1, std::memory_order_relaxed) + 1;
  Line& mine = line(me_);
  mine.name[ticket % 2].store(std::uint64_t{value.kind} << 32 | static_cast<std::uint32_t>(value.id),
                              std::memory_order_relaxed);
  mine.arrived.store(ticket, std::memory_order_release);
  neighbourhood_.wake_all_others();
  return ticket;
}

bool BoardBarrier::passed(std::uint64_t ticket) {
  if (passed_.load(std::memory_order_acquire) >= ticket) return true;
  // Begin with the neighbour after us, so that not everybody reads the same line first.
  for (RankId i = 1; i < size_; ++i) {
    const RankId peer = me_ + i < size_ ? me_ + i : me_ + i - size_;
    if (line(peer).arrived.load(std::memory_order_acquire) < ticket) return false;
  }
  std::uint64_t before = passed_.load(std::memory_order_relaxed);
  while (before < ticket && !passed_.compare_exchange_weak(before, ticket, std::memory_order_release)) {
  }
  return true;
}

BarrierValue BoardBarrier::value() {
  const std::uint64_t ticket = arrived_.load(std::memory_order_relaxed);
  BarrierValue all;
  for (RankId peer = 0; peer < size_; ++peer) {
    const std::uint64_t name = line(peer).name[ticket % 2].load(std::memory_order_relaxed);
    all = combine(all, {static_cast<BarrierValue::Kind>(name >> 32), static_cast<std::int32_t>(name)});
  }
  return all;
}

}  // namespace aqueduct::extended
