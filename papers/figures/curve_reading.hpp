// What readers see in a curve.
#pragma once
#include "chart.hpp"

namespace aqueduct::figures {

/// The value at `x`, interpolated linearly. `x` lies within the curve.
double value_at(const Curve& curve, double x);

/// The smallest x at which the curve, coming from below, reaches `y`; 0 if it never does.
double reaches(const Curve& curve, double y);

double highest(const Curve& curve);

/// The largest rise from one point to the next, among those up to `x`.
struct Step {
  Point before;
  Point after;

  double height() const { return after.y - before.y; }
};
Step largest_step(const Curve& curve, double x);

}  // namespace aqueduct::figures
