// The reference barrier of a team: dissemination over active messages.
//
// In round r of ceil(log2 n), each member sends what it knows to the member 2^r after it and waits for word
// from the one 2^r before it; after the last round it has heard, directly or not, from everybody. Names
// combine on the way.
//
// Messages: request (channel, ticket, round, kind, id), no reply. Barriers are run one after the other; a
// member may be at most one ticket ahead of another, because nobody finishes t before everybody has started
// it, so mail is kept for two tickets. Rounds cannot be advanced by the handler (it may not send): the
// barrier is a deferred task from its start to its end, and poll() advances it.
//
// Threads: mail and progress are guarded by one short lock; nothing is sent while it is held.
#pragma once
#include <array>
#include <atomic>
#include <vector>

#include "base/spin_lock.hpp"
#include "core/rank.hpp"
#include "extended/barrier.hpp"
#include "extended/deferred_tasks.hpp"

namespace aqueduct::extended {

class MessageBarrier final : public Barrier, private DeferredTask {
 public:
  /// `named`: the barrier of gasnet_barrier_*, which the world has beside that of gex_Coll_Barrier*.
  MessageBarrier(DeferredTasks& deferred_tasks, const core::Team& team, bool named);
  ~MessageBarrier() override { deferred_tasks_.remove(*this); }

  std::uint64_t arrive(core::Thread& thread, BarrierValue value) override;
  bool passed(std::uint64_t ticket) override { return passed_.load(std::memory_order_acquire) >= ticket; }
  BarrierValue value() override { return result_; }
  bool passes_without_polls() const override { return false; }

  static void register_handler(core::HandlerTable& handlers);

 private:
  struct Mail {
    bool here = false;
    BarrierValue value;
  };
  static void on_message(gex_Token_t token, gex_AM_Arg_t channel, gex_AM_Arg_t ticket, gex_AM_Arg_t round,
                         gex_AM_Arg_t kind, gex_AM_Arg_t id);
  Mail& mail(std::uint64_t ticket, unsigned round);
  bool send_round(core::Thread& thread);
  // Sends what can be sent and takes what has come. Not in a handler.
  Advance advance(core::Thread& thread) override;

  DeferredTasks& deferred_tasks_;
  const core::Team& team_;
  const std::uint32_t channel_;  // twice the team's id, plus one if named
  unsigned rounds_ = 0;
  OptionalSpinLock lock_;
  OptionalSpinLock advancing_;
  std::atomic<std::uint64_t> arrived_{0};  // tickets handed out
  std::atomic<std::uint64_t> passed_{0};
  // Of the barrier in progress, passed_ + 1, if arrived_ has reached it:
  unsigned round_ = 0;
  bool sent_ = false;
  BarrierValue known_;
  BarrierValue result_;
  std::array<BarrierValue, 2> mine_;
  std::vector<Mail> mail_;  // by round, of two tickets in turn; made with the first that comes or is awaited
};

}  // namespace aqueduct::extended
