#include "extended/board_barrier.hpp"

namespace aqueduct::extended {

BoardBarrier::BoardBarrier(core::Rank& rank, unsigned instance)
    : neighbourhood_(*rank.neighbourhood()),
      me_(rank.id()),
      size_(rank.size()),
      words_(reinterpret_cast<Words*>(rank.neighbourhood()->board() +
                                      instance * round_up(rank.size() * sizeof(Words), kCacheLine))) {
  static_assert(2 * job::kMaxRanks * sizeof(Words) <= core::kBoardBytes);
}

std::uint64_t BoardBarrier::arrive(core::Thread&, BarrierValue value) {
  const std::uint64_t ticket = arrived_.load(std::memory_order_relaxed) + 1;
  arrived_.store(ticket, std::memory_order_relaxed);
  words_[me_].word[ticket % 2].store(pack(ticket, value), std::memory_order_release);
  neighbourhood_.wake_all_others();
  return ticket;
}

bool BoardBarrier::passed(std::uint64_t ticket) {
  if (passed_.load(std::memory_order_acquire) >= ticket) return true;
  for (RankId peer = 0; peer < size_; ++peer) {
    if (!reached(words_[peer].word[ticket % 2].load(std::memory_order_acquire), ticket)) return false;
  }
  passed_.store(ticket, std::memory_order_release);
  return true;
}

BarrierValue BoardBarrier::value() {
  const std::uint64_t ticket = arrived_.load(std::memory_order_relaxed);
  BarrierValue all;
  for (RankId peer = 0; peer < size_; ++peer) {
    const std::uint64_t word = words_[peer].word[ticket % 2].load(std::memory_order_relaxed);
    all = combine(all, {static_cast<BarrierValue::Kind>((word >> kTicketBits) & 3),
                        static_cast<std::int32_t>(word >> 32)});
  }
  return all;
}

}  // namespace aqueduct::extended
