#include "gasnet_tools/cycle_counter.hpp"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "aqueduct/tools/environment.h"
#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "gasnet_tools/number.hpp"

namespace aqueduct::gasnet_tools {
namespace {

constexpr std::uint64_t kLeastSpanNs = 20'000'000;
constexpr int kSamples = 16;
constexpr double kTolerance = 0.0005;
constexpr double kHardTolerance = 0.01;
constexpr std::int64_t kLeastRateHz = 1'000'000;
constexpr std::int64_t kMostRateHz = 100'000'000'000;
constexpr char kVariable[] = "GASNET_TSC_RATE";

/// Counter and clock at one moment, known to lie within `width_ns`.
struct Moment {
  std::uint64_t cycles = 0;
  std::uint64_t ns = 0;
  std::uint64_t width_ns = 0;
};

/// Reads both several times and keeps the least disturbed reading.
Moment now() {
  Clock& clock = machine_clock();
  Moment best;
  best.width_ns = ~std::uint64_t{0};
  for (int sample = 0; sample < kSamples; ++sample) {
    const std::uint64_t before_ns = clock.now_ns();
    const std::uint64_t cycles = read_cycles();
    const std::uint64_t width_ns = clock.now_ns() - before_ns;
    if (width_ns < best.width_ns) best = {cycles, before_ns + width_ns / 2, width_ns};
  }
  return best;
}

const Moment& start() {
  static const Moment moment = now();
  return moment;
}

struct Measurement {
  double rate_hz = 0;
  double relative_error = 0;  ///< at most
};

Measurement measure() {
  const Moment& first = start();
  Moment last = now();
  while (last.ns - first.ns < kLeastSpanNs) {
    const timespec rest = {0, static_cast<long>(kLeastSpanNs - (last.ns - first.ns))};
    nanosleep(&rest, nullptr);
    last = now();
  }
  const auto span_ns = static_cast<double>(last.ns - first.ns);
  return {static_cast<double>(last.cycles - first.cycles) / span_ns * 1e9,
          static_cast<double>(first.width_ns + last.width_ns) / 2 / span_ns};
}

/// The rate of the first processor according to the kernel; 0 if unknown.
double rate_of_cpuinfo_hz() {
  double rate_hz = 0;
  if (std::FILE* file = std::fopen("/proc/cpuinfo", "r")) {
    char line[256];
    while (rate_hz == 0 && std::fgets(line, sizeof line, file) != nullptr) {
      const char* colon = std::strchr(line, ':');
      if (std::strncmp(line, "cpu MHz", 7) == 0 && colon != nullptr) rate_hz = std::atof(colon + 1) * 1e6;
    }
    std::fclose(file);
  }
  return rate_hz;
}

double choose_rate_hz() {
  const char* wanted = gasnett_getenv_withdefault(kVariable, "walltime");
  const double tolerance = gasnett_getenv_dbl_withdefault("GASNET_TSC_RATE_TOLERANCE", kTolerance);
  const double hard_tolerance =
      gasnett_getenv_dbl_withdefault("GASNET_TSC_RATE_HARD_TOLERANCE", kHardTolerance);
  const bool verbose = gasnett_getenv_yesno_withdefault("GASNET_TSC_VERBOSE", 0) != 0;

  const Measurement measured = measure();
  double rate_hz = measured.rate_hz;
  double error = measured.relative_error;
  if (strcasecmp(wanted, "walltime") != 0) {
    const ParsedInteger given = parse_integer(wanted, 0);
    if (strcasecmp(wanted, "cpuinfo") == 0) {
      rate_hz = rate_of_cpuinfo_hz();
      if (rate_hz <= 0)
        fatal("environment", "%s=cpuinfo, but /proc/cpuinfo does not tell the rate", kVariable);
    } else if (given.whole_text && given.value >= kLeastRateHz && given.value <= kMostRateHz) {
      rate_hz = static_cast<double>(given.value);
    } else {
      fatal("environment", "%s='%s' is not walltime, cpuinfo or a whole number from 1000000 to 100000000000",
            kVariable, wanted);
    }
    error = std::fabs(rate_hz - measured.rate_hz) / measured.rate_hz;
  }
  if (verbose) {
    std::fprintf(stderr, "cycle counter: %.0f Hz by %s, measured %.0f Hz, relative error at most %.2g\n",
                 rate_hz, wanted, measured.rate_hz, std::max(error, measured.relative_error));
  }
  if (error > hard_tolerance) {
    fatal("gasnett_ticks_to_ns",
          "the rate of the cycle counter, %.0f Hz by %s, is wrong by %.2g, more than "
          "GASNET_TSC_RATE_HARD_TOLERANCE=%g",
          rate_hz, wanted, error, hard_tolerance);
  }
  if (error > tolerance) {
    warn("gasnett_ticks_to_ns",
         "the rate of the cycle counter, %.0f Hz by %s, may be wrong by %.2g, more than "
         "GASNET_TSC_RATE_TOLERANCE=%g",
         rate_hz, wanted, error, tolerance);
  }
  return rate_hz;
}

#if defined(__x86_64__) || defined(__i386__)
bool processor_claims_it() {
  constexpr unsigned kPowerLeaf = 0x80000007u;
  constexpr unsigned kInvariant = 1u << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
}

/// The kernel watches the counter and removes it from the list of clocks if it is not steady. Without such a
/// list there is no verdict.
bool kernel_denies_it() {
  std::FILE* file = std::fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "r");
  if (file == nullptr) return false;
  char line[256] = "";
  const bool has_line = std::fgets(line, sizeof line, file) != nullptr;
  std::fclose(file);
  return has_line && std::strstr(line, "tsc") == nullptr;
}
#endif

}  // namespace

#if defined(__x86_64__) || defined(__i386__)
bool cycles_are_steady() {
  static const bool steady = processor_claims_it() && !kernel_denies_it();
  return steady;
}
std::uint64_t read_cycles() { return __builtin_ia32_rdtsc(); }
#else
bool cycles_are_steady() { return false; }
std::uint64_t read_cycles() { return machine_clock().now_ns(); }
#endif

void start_measuring_cycles() { start(); }

std::uint64_t cycle_fraction() {
  static const auto fraction = static_cast<std::uint64_t>(std::ldexp(1e9 / choose_rate_hz(), kFractionBits));
  return fraction;
}

}  // namespace aqueduct::gasnet_tools
