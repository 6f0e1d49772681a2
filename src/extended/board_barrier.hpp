// A barrier of neighbours: everybody writes one word on the shared board and reads those of the others.
//
// Rank r has two words, used in turn: word[ticket % 2] = (id, kind of name, ticket). A rank cannot arrive at
// ticket t+2 before everybody has arrived at t+1, hence has read what it needs of t; so two are enough for
// names. Barriers without names may run further ahead: they need only know that a ticket at least as high has
// been written.
//
// The words of four ranks share a cache line, on purpose: whoever fetches the line to write its own arrival
// sees the others' on the same trip. Two ranks then pass a barrier for every single trip of the line between
// them.
//
// Many ranks would read many lines, so beyond kMostFlat they form groups. Whoever arrives last in its group
// writes a word for the group, with the names combined, and everybody waits for the words of the groups. Last
// is who finds, after writing its own word, that all others of the group are there: of two that arrive at the
// same time at least one does (both write and then read, in one order for all), and if both do they write the
// same. So no rank's attention is needed but for its own arrival.
#pragma once
#include <atomic>

#include "core/rank.hpp"
#include "extended/barrier.hpp"

namespace aqueduct::extended {

class BoardBarrier final : public Barrier {
 public:
  BoardBarrier(core::Rank& rank, unsigned instance);

  std::uint64_t arrive(core::Thread& thread, BarrierValue value) override;
  bool passed(std::uint64_t ticket) override;
  BarrierValue value() override;

 private:
  struct alignas(2 * sizeof(std::uint64_t)) Words {
    std::atomic<std::uint64_t> word[2];
  };
  static constexpr unsigned kTicketBits = 30;
  static constexpr RankId kMostFlat = 32;
  static constexpr RankId kGroup = 16;

  static std::uint64_t pack(std::uint64_t ticket, BarrierValue value) {
    return std::uint64_t{static_cast<std::uint32_t>(value.id)} << 32 |
           std::uint64_t{value.kind} << kTicketBits | (ticket & ((1u << kTicketBits) - 1));
  }
  // Whether a word was written for `ticket` or a later one; tickets are compared modulo 2^30.
  static bool reached(std::uint64_t word, std::uint64_t ticket) {
    const auto ahead = static_cast<std::uint32_t>(word) - static_cast<std::uint32_t>(ticket);
    return static_cast<std::int32_t>(ahead << (32 - kTicketBits)) >= 0;
  }

  static bool all_reached(const Words* words, RankId count, std::uint64_t ticket);
  static BarrierValue combined(const Words* words, RankId count, std::uint64_t ticket);
  bool announce_group(std::uint64_t ticket);

  core::Neighbourhood& neighbourhood_;
  const RankId me_;
  const RankId size_;
  Words* const words_;        // of all ranks
  Words* const groups_;       // of all groups
  const RankId group_count_;  // 0: no groups
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> passed_{0};
};

}  // namespace aqueduct::extended
