// Transfers for which a port had no room wait in one line for each target, so that a target that takes
// nothing delays no others.
//
// Transfer has `peer`, and `next` for the lines. `try_send` sends one and says whether it was taken.
//
// Threads: any.
#pragma once
#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::nic {

template <class Transfer>
class SendLines {
 public:
  /// Sends it, or puts it at the end of its target's line.
  template <class TrySend>
  void send(Transfer& transfer, TrySend try_send) {
    // A thread that has queued a transfer finds this set; transfers of different threads need no order.
    if (!someone_waits_.load(std::memory_order_acquire) && try_send(transfer)) return;
    std::lock_guard lock{lock_};
    const auto line = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const Line& each) { return each.target == transfer.peer; });
    transfer.next = nullptr;
    if (line != waiting_.end()) {
      line->last->next = &transfer;
      line->last = &transfer;
    } else if (!try_send(transfer)) {
      waiting_.push_back({transfer.peer, &transfer, &transfer});
      someone_waits_.store(true, std::memory_order_release);
    }
  }

  /// Tries waiting transfers again.
  template <class TrySend>
  void retry(TrySend try_send) {
    if (!someone_waits_.load(std::memory_order_relaxed)) [[likely]]
      return;
    std::lock_guard lock{lock_};
    for (Line& line : waiting_) {
      while (line.first != nullptr) {
        // After it is sent another thread may own it.
        Transfer* next = line.first->next;
        if (!try_send(*line.first)) break;
        line.first = next;
      }
    }
    std::erase_if(waiting_, [](const Line& line) { return line.first == nullptr; });
    someone_waits_.store(!waiting_.empty(), std::memory_order_release);
  }

 private:
  struct Line {
    fabric::NodeId target;
    Transfer* first;
    Transfer* last;
  };

  std::atomic<bool> someone_waits_{false};
  SpinLock lock_;  ///< guards what follows
  std::vector<Line> waiting_;
};

}  // namespace aqueduct::nic
