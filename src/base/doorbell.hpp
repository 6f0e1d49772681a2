// A doorbell: the word on which the threads of one rank sleep, in memory that its neighbours share.
//
// Protocol (see base/fence.hpp for why it loses no wake-up):
//   a thread that wants to sleep:  seen = announce(); look once more for work;
//                                  sleep(seen, timeout) or withdraw()
//   whoever made work for it:      publish the work; ring_if_needed()
//
// ring_if_needed() is one load of a line that changes only when a rank goes to sleep or wakes up, so that
// sending to a rank that is awake costs next to nothing. All-zero memory is a doorbell nobody waits at.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/fence.hpp"
#include "base/types.hpp"

namespace aqueduct {

class alignas(kCacheLine) Doorbell {
 public:
  /// Makes this thread known as a sleeper. Everything published before the matching check is now visible to
  /// us.
  std::uint32_t announce() {
    const std::uint32_t seen = bell_.load(std::memory_order_acquire);
    sleepers_.fetch_add(1, std::memory_order_relaxed);
    heavy_fence();
    if (const Hook hook = hook_.load(std::memory_order_relaxed)) hook(*this);
    return seen;
  }

  void withdraw() { sleepers_.fetch_sub(1, std::memory_order_relaxed); }

  /// Sleeps until the bell rings after `seen` was read, or the time is over; then withdraws. True if it rang.
  bool sleep(std::uint32_t seen, std::uint64_t timeout_ns);

  void ring_if_needed() {
    light_fence();
    if (has_sleepers()) [[unlikely]]
      ring();
  }

  /// Somebody sleeps, or is about to. Without a fence: only a hint of what was a moment ago.
  bool has_sleepers() const { return sleepers_.load(std::memory_order_relaxed) != 0; }

  void ring();

  /// Ranks of a simulation wait elsewhere: whenever one of them rings, `ringer` is called instead, once for
  /// the process. They hold() their doorbells, so that somebody always seems to sleep there.
  using Ringer = void (*)(Doorbell& doorbell);
  static void set_ringer(Ringer ringer) { ringer_ = ringer; }
  void hold() { sleepers_.fetch_add(1, std::memory_order_relaxed); }

  /// announce() calls it when the sleeper is known. There is one for the process: it belongs to a thread
  /// that watches a network on behalf of those who sleep. Null: no thread does.
  using Hook = void (*)(Doorbell& doorbell);
  static void set_hook(Hook hook) { hook_.store(hook, std::memory_order_relaxed); }

 private:
  static inline constinit std::atomic<Hook> hook_{nullptr};
  static inline constinit Ringer ringer_ = nullptr;

  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<std::uint32_t> bell_{0};
};

}  // namespace aqueduct
