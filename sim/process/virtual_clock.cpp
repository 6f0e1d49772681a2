#include "sim/process/virtual_clock.hpp"

#include <algorithm>
#include <utility>

#include "sim/fiber.hpp"
#include "sim/host.hpp"
#include "sim/process/computing.hpp"
#include "sim/process/process.hpp"
#include "sim/rank_world.hpp"
#include "world/world.hpp"

namespace aqueduct::sim::process {
namespace {

/// So much of looking is charged at once, and then twice as much for each look, up to so much.
constexpr std::uint64_t kChargedNs = 1000, kMostNs = 1280;

}  // namespace

void spend_look() {
  charge_measured();
  static_cast<RankWorld&>(world::current()).makes_progress();
  Thread& thread = *Thread::current();
  thread.owed_ns += thread.look_ns;
  if (thread.owed_ns < kChargedNs) return;
  const Time before = Fiber::current()->host().engine().now();
  constexpr unsigned kPatience = 64;
  if (before == thread.looked_until) {
    if (++thread.looks_in_a_row > kPatience) thread.look_ns = std::min(2 * thread.look_ns, kMostNs);
  } else {
    thread.looks_in_a_row = 0;
    thread.look_ns = kLookNs;
  }
  world::current().compute(std::exchange(thread.owed_ns, 0));
  thread.looked_until = Fiber::current()->host().engine().now();
}

std::uint64_t look_ns() {
  spend_look();
  return world::current().clock().now_ns() + Thread::current()->owed_ns;
}

std::uint64_t sleep_for(std::uint64_t ns) {
  std::uint64_t& owed = Thread::current()->owed_ns;
  const Engine& engine = Fiber::current()->host().engine();
  const Time end = engine.now() + (ns + std::exchange(owed, 0)) * kNanosecond;
  static_cast<RankWorld&>(world::current()).makes_progress();
  if (Process::current().sleep_until(end) || engine.now() >= end) return 0;
  return std::max<std::uint64_t>((end - engine.now()) / kNanosecond, 1);
}

bool is_of_day(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(time.tv_sec, 0)) * kSecondNs +
         static_cast<std::uint64_t>(time.tv_nsec);
}

timespec timespec_of(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecondNs), static_cast<long>(ns % kSecondNs)};
}

Time time_of(clockid_t clock, const timespec& time) {
  const std::uint64_t begin = is_of_day(clock) ? kEpochNs : 0, ns = ns_of(time);
  const Time now = Fiber::current()->host().engine().now();
  return ns <= begin ? now : std::max(now, (ns - begin) * kNanosecond);
}

}  // namespace aqueduct::sim::process
