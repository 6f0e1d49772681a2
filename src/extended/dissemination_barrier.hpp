// A barrier of neighbours that each have a core: dissemination over cache lines that two members share.
//
// In round r, each member tells the members 1, 2 and 3 times 4^r after it what it knows, and waits for word
// from those as far before it; after the last round it has heard, directly or not, from everybody. Names
// combine on the way. The words of one round travel at the same time, so a barrier costs about one trip of a
// line for every round: two rounds for 16 members, three for 64.
//
// Who writes what. Each (receiver, round, sender) has a line of its own, with two words used in turn
// (barrier_word.hpp): one member writes it and one reads it. Each member also has an arrival line that only
// it writes. All words are stored with release and loaded with acquire, so whoever has heard from everybody
// sees what everybody did before arriving.
//
// Why two words are enough. A member writes the words of ticket t+2 only after it has arrived there, so after
// it has passed t+1, so after everybody has arrived at t+1, and hence passed t: nobody reads words of t any
// more. Without names a member may arrive further ahead; then its word of round 0 is for a later ticket than
// the one that the reader waits for, which says even more. It writes the words of later rounds in the order
// of tickets.
//
// A member that has arrived and then computes does not forward what it hears. So whoever has looked in vain
// for a while reads the arrival lines of all members, and if everybody has arrived it passes: nobody's
// attention is needed but for its own arrival. It then writes the words of the rounds that it has left out,
// for those who wait for them. It reads the arrival lines in order and goes on where somebody was missing, so
// that all who wait for one late member look at one line.
//
// Sleepers. An arrival rings for everybody that sleeps, and a word of a later round for its receiver: after
// it has announced its sleep a member looks at the arrival lines once more, so one of the two notices the
// other (base/doorbell.hpp).
//
// Threads: arrive() by one at a time, passed() by any. In a threaded rank a lock guards the progress; whoever
// finds it taken leaves the progress to its holder.
#pragma once
#include <atomic>
#include <vector>

#include "base/doorbell.hpp"
#include "base/spin_lock.hpp"
#include "base/wait_policy.hpp"
#include "extended/barrier_word.hpp"

namespace aqueduct::extended {

class DisseminationBarrier final : public Barrier {
 public:
  static constexpr unsigned kRadix = 4;
  static constexpr unsigned kMostRounds = 8;
  static constexpr RankId kMostMembers = 65536;

  /// What each member has of it in shared memory.
  struct Lines {
    /// Processors fetch lines in pairs; a pair that several write would travel in vain.
    struct alignas(2 * kCacheLine) Line {
      BarrierWords words;
    };
    Line arrival;
    Line from[kMostRounds][kRadix - 1];
  };

  struct Member {
    Lines* lines;  ///< zeroed before anybody arrives
    Doorbell* doorbell;
  };
  /// `wait_policy` must outlive it: how long to look before reading what all members have written.
  DisseminationBarrier(std::vector<Member> members, RankId me, const WaitPolicy& wait_policy, bool threaded);

  std::uint64_t arrive(core::Thread&, BarrierValue value) override { return arrive(value); }
  std::uint64_t arrive(BarrierValue value);
  bool passed(std::uint64_t ticket) override;
  BarrierValue value() override { return result_; }

 private:
  static constexpr std::uint32_t kMostLooks = 32;  // before a member reads what all have written

  BarrierValue mine(std::uint64_t ticket) const {
    return value_in(members_[me_].lines->arrival.words.of(ticket).load(std::memory_order_relaxed));
  }
  void advance();
  bool hear();
  bool has_everybody_arrived(std::uint64_t ticket);
  void tell(unsigned round, std::uint64_t ticket, BarrierValue value);
  void pass(std::uint64_t ticket, BarrierValue value);

  const std::vector<Member> members_;
  const RankId me_;
  const WaitPolicy& wait_policy_;
  const bool threaded_;
  unsigned rounds_ = 0;
  unsigned partners_[kMostRounds] = {};           // how many, in each round
  Member targets_[kMostRounds][kRadix - 1] = {};  // to whom we speak
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> passed_{0};

  SpinLock lock_;  // of what follows, in a threaded rank
  // Of the barrier in progress, passed_ + 1, if arrived_ has reached it:
  unsigned round_ = 0;       // whose words we wait for; our own are written
  unsigned heard_ = 0;       // how many of them are here
  BarrierValue known_;       // from them and those of earlier rounds
  std::uint32_t looks_ = 0;  // in vain
  RankId missing_ = 0;       // all members before this one are known to have arrived
  BarrierValue seen_;        // from their arrival lines
  BarrierValue result_;      // of the last barrier that was passed
};

}  // namespace aqueduct::extended
