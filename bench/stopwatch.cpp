#include "stopwatch.hpp"

#include <algorithm>
#include <vector>

#include "statistics.hpp"

namespace aqueduct::bench {
namespace {

struct Moment {
  std::uint64_t ticks;
  double ns;
};

/// Reads both clocks at one moment: of several attempts the one with the shortest time between the two.
Moment look_at_both(const Stopwatch& watch) {
  constexpr int kLooks = 16;
  Moment best{};
  std::uint64_t tightest = ~std::uint64_t{0};
  for (int look = 0; look < kLooks; ++look) {
    const std::uint64_t before = ticks();
    const double ns = watch.ns();
    const std::uint64_t after = ticks();
    if (after - before >= tightest) continue;
    tightest = after - before;
    best = {.ticks = before + (after - before) / 2, .ns = ns};
  }
  return best;
}

}  // namespace

TickScale TickScale::measure() {
  constexpr double kCalibrationNs = 5'000'000;
  const Stopwatch watch;
  const Moment first = look_at_both(watch);
  while (watch.ns() < kCalibrationNs) keep_memory();
  const Moment last = look_at_both(watch);

  std::vector<double> empty(1001);
  for (double& interval : empty) {
    const std::uint64_t start = ticks();
    keep_memory();
    interval = static_cast<double>(ticks() - start);
  }
  return {.ns_per_tick = (last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks),
          .empty_interval_ticks = spread_of(empty).median};
}

double TickScale::ns(std::uint64_t sum, std::uint64_t intervals) const {
  const double cost = empty_interval_ticks * static_cast<double>(intervals);
  return std::max(0.0, static_cast<double>(sum) - cost) * ns_per_tick;
}

}  // namespace aqueduct::bench
