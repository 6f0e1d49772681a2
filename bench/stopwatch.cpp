#include "stopwatch.hpp"

#include <algorithm>
#include <vector>

#include "statistics.hpp"

namespace aqueduct::bench {

TickScale TickScale::measure() {
  constexpr double kCalibrationNs = 5'000'000;
  const Stopwatch watch;
  const std::uint64_t first = ticks();
  while (watch.ns() < kCalibrationNs) keep_memory();
  const std::uint64_t last = ticks();
  const double elapsed_ns = watch.ns();

  std::vector<double> empty(1001);
  for (double& interval : empty) {
    const std::uint64_t start = ticks();
    keep_memory();
    interval = static_cast<double>(ticks() - start);
  }
  return {.ns_per_tick = elapsed_ns / static_cast<double>(last - first),
          .empty_interval_ticks = spread_of(empty).median};
}

double TickScale::ns(std::uint64_t sum, std::uint64_t intervals) const {
  const double cost = empty_interval_ticks * static_cast<double>(intervals);
  return std::max(0.0, static_cast<double>(sum) - cost) * ns_per_tick;
}

}  // namespace aqueduct::bench
