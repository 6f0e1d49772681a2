// Where an axis has its ticks and what is written there.
#pragma once
#include <string>
#include <vector>

#include "chart.hpp"

namespace aqueduct::figures {

struct Tick {
  double at = 0;
  std::string text;  ///< empty: a line without a number
};

/// `axis` has its bounds.
std::vector<Tick> ticks(const Axis& axis);

/// Widens the bounds of an axis whose bounds are open so that they hold `values` and end at round numbers.
void settle_bounds(Axis& axis, const std::vector<double>& values);

}  // namespace aqueduct::figures
