// A barrier of few neighbours, or of many that share cores: everybody writes one word on a shared board and
// reads those of the others. Where many have a core each, dissemination_barrier.hpp does better: there every
// line would be fetched by all.
//
// Member m has two words, used in turn (barrier_word.hpp).
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
#include <vector>

#include "base/doorbell.hpp"
#include "extended/barrier_word.hpp"

namespace aqueduct::extended {

class BoardBarrier final : public Barrier {
 public:
  static constexpr RankId kMostFlat = 32;
  static constexpr RankId kGroup = 16;

  /// The shared memory of it, zeroed before anybody arrives.
  struct Place {
    BarrierWords* members;
    BarrierWords* groups;  ///< one for every kGroup members
  };
  /// `others`: the doorbells of all other members.
  BoardBarrier(Place place, RankId me, RankId size, std::vector<Doorbell*> others);

  std::uint64_t arrive(core::Thread&, BarrierValue value) override { return arrive(value); }
  std::uint64_t arrive(BarrierValue value);
  bool passed(std::uint64_t ticket) override;
  BarrierValue value() override;

 private:
  static bool all_reached(const BarrierWords* words, RankId count, std::uint64_t ticket);
  static BarrierValue combined(const BarrierWords* words, RankId count, std::uint64_t ticket);
  bool announce_group(std::uint64_t ticket);
  void wake_others() const {
    for (Doorbell* const doorbell : others_) doorbell->ring_if_needed();
  }

  const Place place_;
  const RankId me_;
  const RankId size_;
  const RankId group_count_;  // 0: no groups
  const std::vector<Doorbell*> others_;
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> passed_{0};
};

}  // namespace aqueduct::extended
