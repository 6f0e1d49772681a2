// Bias: while a threaded rank has had only one thread, that thread reads its mailboxes without locks.
//
// The first thread says that it is inside, then looks whether it is still alone; the second thread to come
// takes the privilege away for good, then waits until the first is not inside. Each stores one word and loads
// the other's; the full fence that this needs between store and load is paid by the newcomer
// (base/fence.hpp), once in the rank's life. So either the first thread sees that it is no longer alone, or
// the newcomer sees it inside and waits for it to leave.
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

  /// By any other thread, before it first polls. Returns when the first thread holds no privilege any more.
  void revoke() {
    if (revoked_.exchange(true, std::memory_order_seq_cst)) {
      while (!settled_.load(std::memory_order_acquire))
        ::sched_yield();  // another newcomer is waiting for both of us
      return;
    }
    heavy_fence();
    while (inside_.load(std::memory_order_acquire)) ::sched_yield();
    settled_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> inside_{false};
  std::atomic<bool> revoked_{false};
  std::atomic<bool> settled_{false};
};

}  // namespace aqueduct::core
