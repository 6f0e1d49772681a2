#include "result.hpp"

namespace aqueduct::bench {
std::optional<double> ratio(const Row& row, Better better) {
  if (!row.limit) return {};
  return better == Better::kLower ? row.value.median / row.limit->median
                                  : row.limit->median / row.value.median;
}

std::optional<double> best_ratio(const Row& row, Better better) {
  if (!row.limit) return {};
  return better == Better::kLower ? row.value.min / row.limit->min : row.limit->max / row.value.max;
}

}  // namespace aqueduct::bench
