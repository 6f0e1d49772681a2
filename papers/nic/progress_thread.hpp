// The progress thread: a thread that makes progress while nobody else does, so that what others put and get
// here completes without this process's cooperation.
//
// Two modes. While the application's own threads look at their event queues, the progress thread only
// watches: once in kWatchNs it sees that they did. When they have not, it goes on duty: it moves what has
// come, and then sleeps at the node's doorbell, which senders ring. The next thread of the application that
// looks relieves it. So a process that polls pays next to nothing for its progress thread, one that computes
// gets its messages as soon as they come (the first one within kWatchNs of its last look), and one that is
// idle sleeps. A thread of the application that sleeps at the doorbell itself is as good as one that looks:
// whoever sends wakes it.
//
// attend() is called by any thread on every look. Nothing is lost between the modes: what arrives while the
// progress thread watches is found by the thread that attends, or, if that was its last look, by the progress
// thread when it goes on duty, because it looks before it sleeps (base/doorbell.hpp).
//
// The thread takes no signals. It lives until the process ends.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/doorbell.hpp"
#include "base/types.hpp"
#include "papers/nic/progress.hpp"

namespace aqueduct::nic {

class ProgressThread {
 public:
  /// `doorbell` is rung by whoever sends to this node. Both outlive the process's last thread.
  ProgressThread(Progress& network, Doorbell& doorbell) : network_(network), doorbell_(doorbell) {}
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// `name` is what the system shows of it. False: the system gives no thread.
  bool start(const char* name);

  /// A thread of the application looks, and will see to progress itself.
  void attend() {
    // A count that is lost between two threads does no harm: it changes all the same.
    attention_.store(attention_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (on_duty_.load(std::memory_order_relaxed)) [[unlikely]]
      relieve();
  }

  static constexpr std::uint64_t kWatchNs = 1'000'000;

 private:
  void relieve();
  void run();
  void serve();

  Progress& network_;
  Doorbell& doorbell_;
  alignas(kCacheLine) std::atomic<std::uint32_t> attention_{0};
  std::atomic<bool> on_duty_{false};
};

}  // namespace aqueduct::nic
