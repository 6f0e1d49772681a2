// The ticks of an axis and their labels.
#pragma once
#include <string>
#include <vector>

#include "chart.hpp"

namespace aqueduct::figures {

struct Tick {
  double at = 0;
  std::string text;  ///< empty: a line without a number
};

/// The bounds of `axis` must be set.
std::vector<Tick> ticks(const Axis& axis);

/// Sets the bounds of an axis without bounds so that they contain `values` and are round numbers.
void settle_bounds(Axis& axis, const std::vector<double>& values);

}  // namespace aqueduct::figures
