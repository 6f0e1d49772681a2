#include "nic/portals3/live/live_bridge.hpp"

#include <sched.h>

#include <algorithm>

#include "base/spin_lock.hpp"

namespace aqueduct::portals3 {

void LiveBridge::wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) {
  const auto done = [&] { return activity.load(std::memory_order_acquire) != seen; };
  for (std::uint32_t polls = 0; polls < wait_policy_.polls; ++polls) {
    nal.progress();
    if (done()) return;
    cpu_pause();
  }
  const std::uint64_t begin_ns = now_ns();
  for (std::uint64_t now = begin_ns; now < deadline_ns; now = now_ns()) {
    progress_thread_.attend();
    if (now - begin_ns < wait_policy_.yield_ns) {
      nal.progress();
      if (done()) return;
      ::sched_yield();
      continue;
    }
    const std::uint32_t bell = doorbell_.announce();
    nal.progress();
    if (done()) return doorbell_.withdraw();
    doorbell_.sleep(bell, std::min(wait_policy_.sleep_max_ns, deadline_ns - now));
  }
}

}  // namespace aqueduct::portals3
