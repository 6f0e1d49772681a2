// Sleeping at a network that has a descriptor to sleep at instead of a doorbell (Conduit::wake_descriptor).
//
// A rank with one thread and no neighbours sleeps at the descriptor itself. Where neighbours or other threads
// ring at the rank's doorbell, its threads sleep there, and a thread of the library, the watch, sleeps at the
// descriptor in their place and rings: only while somebody sleeps, so that it takes no time from a rank that
// is awake. It exists from the first such sleep on and takes no signals. A rank that is woken otherwise
// leaves it there; it then rings once in vain.
//
// Threads: any.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/doorbell.hpp"
#include "conduit/conduit.hpp"

namespace aqueduct::core {

class NetworkWatch {
 public:
  /// `bell` is where the rank's threads sleep; null: nobody rings, and it gets one here. `is_alone`: nobody
  /// rings at all.
  NetworkWatch(conduit::Conduit& conduit, Doorbell* bell, bool is_alone);
  ~NetworkWatch();
  NetworkWatch(const NetworkWatch&) = delete;
  NetworkWatch& operator=(const NetworkWatch&) = delete;

  Doorbell& bell() { return bell_; }

  /// See Rank::sleep(); withdraws from the bell.
  bool sleep(std::uint32_t bell_seen, std::uint64_t timeout_ns);

 private:
  /// False: the system gives no thread.
  bool start();
  void run();
  void wake_watch();

  conduit::Conduit& conduit_;
  Doorbell own_bell_;
  Doorbell& bell_;
  const bool is_alone_;
  int wake_fd_ = -1;  // an eventfd at which the watch waits for somebody to sleep
  std::atomic<bool> is_armed_{false};
  std::atomic<bool> must_end_{false};
  std::mutex start_mutex_;
  bool has_tried_ = false;
  std::thread watch_;
};

}  // namespace aqueduct::core
