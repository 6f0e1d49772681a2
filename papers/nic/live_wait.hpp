// How a live process waits for its interface: it polls, then yields, then sleeps at its doorbell. Senders
// ring that, and so does a thread that finds what another one waits for.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/doorbell.hpp"
#include "base/wait_policy.hpp"
#include "papers/nic/progress_thread.hpp"

namespace aqueduct::nic {

/// Changes whenever something happened that a waiting call may wait for.
using Activity = std::atomic<std::uint64_t>;

inline constexpr std::uint64_t kForever = ~std::uint64_t{0};

/// The parts that waiting needs; they outlive the call.
struct LiveWait {
  WaitPolicy policy;
  Clock& clock;
  Progress& network;
  Doorbell& doorbell;
  ProgressThread& progress_thread;

  /// Rests until `activity` is no longer `seen`, or until `deadline_ns`; may return early. Makes progress
  /// meanwhile.
  void until_changed(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) const;
};

}  // namespace aqueduct::nic
