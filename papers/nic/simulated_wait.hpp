// How the process of a simulated interface waits: its fiber rests until its host is notified.
#pragma once
#include "papers/nic/live_wait.hpp"
#include "sim/host.hpp"

namespace aqueduct::nic {

/// Rests until `activity` is no longer `seen`, or until `deadline_ns`. `why` is a literal.
inline void wait_simulated(sim::Host& host, const Activity& activity, std::uint64_t seen,
                           std::uint64_t deadline_ns, const char* why) {
  for (;;) {
    const std::uint64_t host_seen = host.activity();
    if (activity.load(std::memory_order_relaxed) != seen) return;
    if (deadline_ns == kForever) {
      host.rest(host_seen, why);
    } else if (!host.rest_until(host_seen, deadline_ns * sim::kNanosecond, why)) {
      return;
    }
  }
}

}  // namespace aqueduct::nic
