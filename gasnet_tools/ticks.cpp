#include "aqueduct/tools/ticks.h"

#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/clock.hpp"
#include "gasnet_tools/cycle_counter.hpp"

namespace aqueduct::gasnet_tools {
namespace {

__extension__ using Wide = unsigned __int128;

bool uses_cycles() {
  static const bool cycles = aq_ticks_choose_() != 0;
  return cycles;
}

// Starts when the program is loaded, so that the rate has been measured for long when it is needed.
[[maybe_unused]] const bool kChosenEarly = uses_cycles();

double measure_overhead_us() {
  constexpr int kReadings = 10'000;
  const gasnett_tick_t start = gasnett_ticks_now();
  for (int reading = 0; reading < kReadings; ++reading) (void)gasnett_ticks_now();
  const std::uint64_t elapsed_ns = gasnett_ticks_to_ns(gasnett_ticks_now() - start);
  return std::max<double>(static_cast<double>(elapsed_ns), 1) / 1e3 / kReadings;
}

double measure_granularity_us() {
  constexpr int kSteps = 1'000;
  gasnett_tick_t least = GASNETT_TICK_MAX;
  for (int step = 0; step < kSteps; ++step) {
    const gasnett_tick_t before = gasnett_ticks_now();
    gasnett_tick_t after = before;
    while (after == before) after = gasnett_ticks_now();
    least = std::min(least, after - before);
  }
  // In thousandths, since a few cycles are less than a nanosecond.
  return static_cast<double>(gasnett_ticks_to_ns(least * 1000)) / 1e6;
}

}  // namespace
}  // namespace aqueduct::gasnet_tools

using namespace aqueduct;
using namespace aqueduct::gasnet_tools;

extern "C" {

int aq_ticks_are_cycles_ = 0;

[[gnu::noinline]] int aq_ticks_choose_(void) {
  if (!cycles_are_steady()) return 0;
  start_measuring_cycles();
  __atomic_store_n(&aq_ticks_are_cycles_, 1, __ATOMIC_RELAXED);
  return 1;
}

gasnett_tick_t aq_ticks_now_(void) { return uses_cycles() ? read_cycles() : machine_clock().now_ns(); }

uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks) {
  if (!uses_cycles()) return ticks;
  return static_cast<uint64_t>(Wide{ticks} * cycle_fraction() >> kFractionBits);
}

uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks) { return gasnett_ticks_to_ns(ticks) / 1000; }

double gasnett_tick_granularityus(void) {
  static const double granularity_us = measure_granularity_us();
  return granularity_us;
}

double gasnett_tick_overheadus(void) {
  static const double overhead_us = measure_overhead_us();
  return overhead_us;
}

uint64_t gasnett_gettimeofday_us(void) {
  timeval now;
  gettimeofday(&now, nullptr);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000u + static_cast<uint64_t>(now.tv_usec);
}

int gasnett_nsleep(uint64_t ns) {
  if (ns == 0) return 0;
  const timespec duration = {static_cast<time_t>(ns / 1'000'000'000u),
                             static_cast<long>(ns % 1'000'000'000u)};
  return nanosleep(&duration, nullptr);
}

}  // extern "C"
