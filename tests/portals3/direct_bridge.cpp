#include "portals3/direct_bridge.hpp"

#include <sched.h>

#include <algorithm>
#include <ctime>

#include "base/spin_lock.hpp"

namespace aqueduct::portals3 {

DirectBridge::DirectBridge(Identity identity, WaitPolicy wait_policy, Clock& clock)
    : identity_(identity), wait_policy_(wait_policy), clock_(clock) {}

int DirectBridge::validate(std::span<const Piece>, MemoryKey& key) {
  key = 1;
  return PTL_OK;
}

void DirectBridge::invalidate(MemoryKey) {}

std::uint64_t DirectBridge::now_ns() { return clock_.now_ns(); }

void DirectBridge::wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) {
  const auto done = [&] { return activity.load(std::memory_order_acquire) != seen; };
  for (std::uint32_t polls = 0; polls < wait_policy_.polls; ++polls) {
    nal.progress();
    if (done()) return;
    cpu_pause();
  }
  const std::uint64_t begin = clock_.now_ns();
  for (;;) {
    nal.progress();
    const std::uint64_t now = clock_.now_ns();
    if (done() || now >= deadline_ns) return;
    if (!wait_policy_.may_sleep || now - begin < wait_policy_.yield_ns) {
      ::sched_yield();
      continue;
    }
    // Nobody rings for us here: sleep no longer than the answer may be late.
    const std::uint64_t rest = std::min(wait_policy_.sleep_min_ns, deadline_ns - now);
    const timespec time{0, static_cast<long>(std::min<std::uint64_t>(rest, 999'999'999))};
    ::nanosleep(&time, nullptr);
  }
}

}  // namespace aqueduct::portals3
