#include "papers/nic/live_wait.hpp"

#include <sched.h>

#include <algorithm>

#include "base/spin_lock.hpp"

namespace aqueduct::nic {

void LiveWait::until_changed(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) const {
  const auto done = [&] { return activity.load(std::memory_order_acquire) != seen; };
  for (std::uint32_t polls = 0; polls < policy.polls; ++polls) {
    network.progress();
    if (done()) return;
    cpu_pause();
  }
  const std::uint64_t begin_ns = clock.now_ns();
  for (std::uint64_t now = begin_ns; now < deadline_ns; now = clock.now_ns()) {
    progress_thread.attend();
    if (now - begin_ns < policy.yield_ns) {
      network.progress();
      if (done()) return;
      ::sched_yield();
      continue;
    }
    const std::uint32_t bell = doorbell.announce();
    network.progress();
    if (done()) return doorbell.withdraw();
    doorbell.sleep(bell, std::min(policy.sleep_max_ns, deadline_ns - now));
  }
}

}  // namespace aqueduct::nic
