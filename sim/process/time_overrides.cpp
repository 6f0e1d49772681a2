// Time is the simulated machine's: clocks show virtual time, and whoever waits lets it pass.
//
// To look at a clock takes kLook, so that a program that waits for a time by looking gets there. Time of day
// begins at the first of January 2020.
#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "sim/engine/time.hpp"
#include "sim/fiber.hpp"
#include "sim/host.hpp"
#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"
#include "sim/process/virtual_clock.hpp"
#include "world/world.hpp"

namespace aqueduct::sim::process {
namespace {

std::uint64_t look() { return look_ns(); }

int get_clock(clockid_t clock, timespec* now) {
  *now = timespec_of(look() + (is_of_day(clock) ? kEpochNs : 0));
  return 0;
}

int get_resolution(clockid_t, timespec* resolution) {
  if (resolution) *resolution = {0, 1};
  return 0;
}

int get_time_of_day(timeval* now, void*) {
  const timespec time = timespec_of(look() + kEpochNs);
  *now = {time.tv_sec, time.tv_nsec / 1000};
  return 0;
}

time_t get_time(time_t* also) {
  const auto now = static_cast<time_t>((look() + kEpochNs) / kSecondNs);
  if (also) *also = now;
  return now;
}

int get_timespec(timespec* now, int base) {
  get_clock(CLOCK_REALTIME, now);
  return base;
}

clock_t get_processor_time() { return static_cast<clock_t>(look() / 1000); }

clock_t get_times(tms* used) {
  const auto ticks = static_cast<clock_t>(look() / (kSecondNs / 100));
  *used = {ticks, 0, 0, 0};
  return ticks;
}

int interrupted() {
  errno = EINTR;
  return -1;
}

int wait_micros(useconds_t us) { return sleep_for(us * 1000ull) == 0 ? 0 : interrupted(); }

unsigned wait_seconds(unsigned seconds) {
  return static_cast<unsigned>((sleep_for(seconds * kSecondNs) + kSecondNs - 1) / kSecondNs);
}

int wait_nanos(const timespec* time, timespec* left) {
  if (time->tv_nsec < 0 || static_cast<std::uint64_t>(time->tv_nsec) >= kSecondNs || time->tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  const std::uint64_t rest = sleep_for(ns_of(*time));
  if (left) *left = timespec_of(rest);
  return rest == 0 ? 0 : interrupted();
}

int wait_by_clock(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if ((flags & TIMER_ABSTIME) == 0) return wait_nanos(time, left) == 0 ? 0 : errno;
  const std::uint64_t now = world::current().clock().now_ns() + (is_of_day(clock) ? kEpochNs : 0);
  return ns_of(*time) > now && sleep_for(ns_of(*time) - now) != 0 ? EINTR : 0;
}

/// Of a wait for descriptors: looks, and if there is nothing, looks again when the time is over.
template <class Look>
int wait_for_descriptors(std::int64_t ns, bool for_ever, Look look_at_them) {
  int result = look_at_them(false);
  if (result != 0 || (!for_ever && ns <= 0)) return result;
  if (for_ever) return look_at_them(true);
  if (sleep_for(static_cast<std::uint64_t>(ns)) != 0) return interrupted();
  return look_at_them(false);
}

int wait_by_poll(pollfd* descriptors, nfds_t count, int ms) {
  return wait_for_descriptors(ms * std::int64_t{1'000'000}, ms < 0,
                              [&](bool blocks) { return ::poll(descriptors, count, blocks ? -1 : 0); });
}

int wait_by_ppoll(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t*) {
  return wait_for_descriptors(time ? static_cast<std::int64_t>(ns_of(*time)) : 0, !time,
                              [&](bool blocks) { return ::poll(descriptors, count, blocks ? -1 : 0); });
}

int wait_by_select(int count, fd_set* in, fd_set* out, fd_set* others, timeval* time) {
  const fd_set none{};
  const fd_set before[] = {in ? *in : none, out ? *out : none, others ? *others : none};
  const std::int64_t ns =
      time ? time->tv_sec * static_cast<std::int64_t>(kSecondNs) + time->tv_usec * 1000 : 0;
  return wait_for_descriptors(ns, !time, [&](bool blocks) {
    if (in) *in = before[0];
    if (out) *out = before[1];
    if (others) *others = before[2];
    timeval at_once{};
    return ::select(count, in, out, others, blocks ? nullptr : &at_once);
  });
}

int give_turn() {
  world::current().pass_time();
  return 0;
}

// What aqueduct/tools/ticks.h promises. A tick is a nanosecond.
std::uint64_t ticks_now() { return look(); }
std::uint64_t ticks_to_ns(std::uint64_t ticks) { return ticks; }
std::uint64_t ticks_to_us(std::uint64_t ticks) { return ticks / 1000; }
double tick_us() { return 0.001; }
double look_us() { return kLookNs / 1000.0; }
std::uint64_t time_of_day_us() { return (look() + kEpochNs) / 1000; }
int sleep_ns(std::uint64_t ns) { return ns != 0 && sleep_for(ns) != 0 ? interrupted() : 0; }
int choose_ticks() { return 0; }
int ticks_are_cycles = 0;

}  // namespace

OverrideGroup time_overrides() {
  static const Override table[] = {
      replaces("clock_gettime", get_clock),
      replaces("clock_getres", get_resolution),
      replaces("gettimeofday", get_time_of_day),
      replaces("time", get_time),
      replaces("timespec_get", get_timespec),
      replaces("clock", get_processor_time),
      replaces("times", get_times),
      replaces("usleep", wait_micros),
      replaces("sleep", wait_seconds),
      replaces("nanosleep", wait_nanos),
      replaces("clock_nanosleep", wait_by_clock),
      replaces("poll", wait_by_poll),
      replaces("ppoll", wait_by_ppoll),
      replaces("select", wait_by_select),
      replaces("sched_yield", give_turn),
      replaces("aq_ticks_now_", ticks_now),
      replaces("aq_ticks_choose_", choose_ticks),
      replaces("gasnett_ticks_to_ns", ticks_to_ns),
      replaces("gasnett_ticks_to_us", ticks_to_us),
      replaces("gasnett_tick_granularityus", tick_us),
      replaces("gasnett_tick_overheadus", look_us),
      replaces("gasnett_gettimeofday_us", time_of_day_us),
      replaces("gasnett_nsleep", sleep_ns),
      {"aq_ticks_are_cycles_", &ticks_are_cycles},
  };
  return table;
}

}  // namespace aqueduct::sim::process
