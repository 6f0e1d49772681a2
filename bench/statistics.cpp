#include "statistics.hpp"

#include <algorithm>
#include <vector>

namespace aqueduct::bench {

Spread Spread::inverted(double numerator) const {
  return {.median = numerator / median, .min = numerator / max, .max = numerator / min};
}

Spread Spread::scaled(double factor) const {
  return {.median = median * factor, .min = min * factor, .max = max * factor};
}

Spread spread_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {.median = median, .min = sorted.front(), .max = sorted.back()};
}

}  // namespace aqueduct::bench
