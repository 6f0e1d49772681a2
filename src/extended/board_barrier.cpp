#include "extended/board_barrier.hpp"

#include "extended/collectives/board_places.hpp"

namespace aqueduct::extended {

BoardBarrier::BoardBarrier(core::Rank& rank, unsigned instance)
    : neighbourhood_(*rank.neighbourhood()),
      me_(rank.id()),
      size_(rank.size()),
      words_(reinterpret_cast<Words*>(rank.neighbourhood()->board() +
                                      instance * round_up(rank.size() * sizeof(Words), kCacheLine))),
      groups_(reinterpret_cast<Words*>(rank.neighbourhood()->rank_board(0, collectives::kBarrierBoard)) +
              instance * (job::kMaxRanks / kGroup)),
      group_count_(rank.size() <= kMostFlat ? 0 : (rank.size() + kGroup - 1) / kGroup) {
  static_assert(2 * job::kMaxRanks * sizeof(Words) <= core::kBoardBytes);
  static_assert(2 * job::kMaxRanks / kGroup * sizeof(Words) <= core::kRankBoardBytes);
}

std::uint64_t BoardBarrier::arrive(core::Thread&, BarrierValue value) {
  const std::uint64_t ticket = arrived_.load(std::memory_order_relaxed) + 1;
  arrived_.store(ticket, std::memory_order_relaxed);
  std::atomic<std::uint64_t>& mine = words_[me_].word[ticket % 2];
  if (group_count_ == 0) [[likely]] {
    mine.store(pack(ticket, value), std::memory_order_release);
    neighbourhood_.wake_all_others();
  } else {
    mine.store(pack(ticket, value), std::memory_order_seq_cst);
    if (announce_group(ticket)) neighbourhood_.wake_all_others();
  }
  return ticket;
}

// Writes the word of our group if everybody in it has arrived; false if somebody is missing.
bool BoardBarrier::announce_group(std::uint64_t ticket) {
  const RankId first = me_ / kGroup * kGroup;
  const RankId count = size_ - first < kGroup ? size_ - first : kGroup;
  if (!all_reached(words_ + first, count, ticket)) return false;
  const std::uint64_t word = pack(ticket, combined(words_ + first, count, ticket));
  std::atomic<std::uint64_t>& group = groups_[me_ / kGroup].word[ticket % 2];
  std::uint64_t before = group.load(std::memory_order_relaxed);
  while (!reached(before, ticket) && !group.compare_exchange_weak(before, word, std::memory_order_acq_rel)) {
  }
  return true;
}

bool BoardBarrier::all_reached(const Words* words, RankId count, std::uint64_t ticket) {
  for (RankId i = 0; i < count; ++i) {
    // The strongest order, for the sake of announce_group(); to the processor it is a load like any other.
    if (!reached(words[i].word[ticket % 2].load(std::memory_order_seq_cst), ticket)) return false;
  }
  return true;
}

BarrierValue BoardBarrier::combined(const Words* words, RankId count, std::uint64_t ticket) {
  BarrierValue all;
  for (RankId i = 0; i < count; ++i) {
    const std::uint64_t word = words[i].word[ticket % 2].load(std::memory_order_relaxed);
    all = combine(all, {static_cast<BarrierValue::Kind>((word >> kTicketBits) & 3),
                        static_cast<std::int32_t>(word >> 32)});
  }
  return all;
}

bool BoardBarrier::passed(std::uint64_t ticket) {
  if (passed_.load(std::memory_order_acquire) >= ticket) return true;
  const bool grouped = group_count_ != 0;
  if (!all_reached(grouped ? groups_ : words_, grouped ? group_count_ : size_, ticket)) return false;
  passed_.store(ticket, std::memory_order_release);
  return true;
}

BarrierValue BoardBarrier::value() {
  const bool grouped = group_count_ != 0;
  return combined(grouped ? groups_ : words_, grouped ? group_count_ : size_,
                  arrived_.load(std::memory_order_relaxed));
}

}  // namespace aqueduct::extended
