// Places the labels of a chart so that none covers a curve, another label, or another label's line. All in
// units of the drawing.
#pragma once
#include <string>
#include <vector>

#include "chart.hpp"

namespace aqueduct::figures {

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// The approximate width of `text` in the drawing's small letters.
double text_width(const std::string& text);

/// Whether the line through `points` passes the box.
bool passes(const std::vector<Point>& points, const Box& box);

/// A label above the plot, for a line that comes up to it.
struct TopLabel {
  double at = 0;    ///< where its line is
  double left = 0;  ///< where its text begins
  std::size_t row = 0;
  std::string text;
};

/// Places one label for each line, in rows from the plot upwards. `low` and `high` are the plot's sides.
std::vector<TopLabel> place_above(const std::vector<std::pair<double, std::string>>& lines, double low,
                                  double high);

}  // namespace aqueduct::figures
