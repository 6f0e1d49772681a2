// Bias: while a threaded rank has had only one thread, that thread reads its mailboxes without locks.
//
// The first thread says that it is inside, then looks whether it is still alone; a thread that comes takes
// the privilege away for good, and before it reads a mailbox itself it waits until the first is not inside.
// Each stores one word and loads the other's; the full fence that this needs between store and load is paid
// by the newcomer (base/fence.hpp), once. So either the first thread sees that it is no longer alone, or the
// newcomer sees it inside and waits for it to leave.
//
// Coming does not wait, only reading does: a thread may hold a handler-safe lock when it first calls the
// library, and the handler that the first thread is inside for may be waiting for that lock. A thread that
// reads mailboxes holds none.
#pragma once
#include <sched.h>

#include <atomic>

#include "base/fence.hpp"

namespace aqueduct::core {

class Bias {
 public:
  /// By the first thread: runs `action` and answers true if no other thread has come; otherwise answers
  /// false. May be called again from inside the action.
  template <class Action>
  bool run_alone(Action&& action) {
    const bool nested = inside_.load(std::memory_order_relaxed);
    inside_.store(true, std::memory_order_relaxed);
    light_fence();
    const bool alone = !revoked_.load(std::memory_order_acquire);
    if (alone || nested) action();
    inside_.store(nested, std::memory_order_release);
    return alone || nested;
  }

  /// By any other thread when it comes. The first notices at the latest when it next wants to run alone.
  void revoke() { revoked_.store(true, std::memory_order_seq_cst); }

  /// By any other thread after revoke(), before it polls. Returns when the first thread holds no privilege
  /// any more.
  void wait_until_lost() {
    if (lost_.load(std::memory_order_acquire)) [[likely]]
      return;
    heavy_fence();
    while (inside_.load(std::memory_order_acquire)) ::sched_yield();
    lost_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> inside_{false};
  std::atomic<bool> revoked_{false};
  std::atomic<bool> lost_{false};  // nobody has to wait any more
};

}  // namespace aqueduct::core
