#include "curve_reading.hpp"

#include <algorithm>
#include <cmath>

namespace aqueduct::figures {
namespace {

double between(double low, double high, double part) { return low + (high - low) * part; }

}  // namespace

double value_at(const Curve& curve, double x) {
  const auto after = std::ranges::lower_bound(curve.points, x, {}, &Point::x);
  if (after == curve.points.end()) return curve.points.back().y;
  if (after == curve.points.begin() || after->x == x) return after->y;
  const Point& before = *(after - 1);
  return between(before.y, after->y, (x - before.x) / (after->x - before.x));
}

double reaches(const Curve& curve, double y) {
  const Point* before = nullptr;
  for (const Point& point : curve.points) {
    if (point.y >= y) {
      if (before == nullptr) return point.x;
      return between(before->x, point.x, (y - before->y) / (point.y - before->y));
    }
    before = &point;
  }
  return 0;
}

double highest(const Curve& curve) { return std::ranges::max(curve.points, {}, &Point::y).y; }

Step largest_step(const Curve& curve, double x) {
  Step largest;
  for (std::size_t i = 1; i < curve.points.size() && curve.points[i].x <= x; ++i) {
    const Step step{.before = curve.points[i - 1], .after = curve.points[i]};
    if (i == 1 || step.height() > largest.height()) largest = step;
  }
  return largest;
}

}  // namespace aqueduct::figures
