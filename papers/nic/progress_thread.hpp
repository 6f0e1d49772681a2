// The progress thread makes progress while no other thread does, so that puts and gets of others complete
// without this process's cooperation.
//
// It has two modes. While the application's own threads look at their event queues, the progress thread only
// watches: once in kWatchNs it checks that they do. If they do not, it goes on duty: it makes progress, then
// sleeps at the node's doorbell, which senders ring. The next thread of the application that looks relieves
// it. So a progress thread costs almost nothing in a process that polls; a process that computes gets its
// messages as soon as they come (the first within kWatchNs of its last look); and an idle one sleeps. A
// thread of the application that sleeps at the doorbell counts as one that looks, because senders wake it.
//
// Any thread calls attend() on every look. No message is lost between the modes: one that arrives while the
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

  /// `name` is the thread's name. False: the system gives no thread.
  bool start(const char* name);

  /// A thread of the application looks, and so makes progress itself.
  void attend() {
    // If two threads count at once, one count is lost, but the number still changes.
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
