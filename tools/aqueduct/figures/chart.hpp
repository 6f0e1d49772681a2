// A chart as an SVG drawing: curves over one pair of axes, single points and lines that others have stated,
// and a legend.
//
// The drawing stands by itself: no script, no font or style from elsewhere. Colours come from the page's
// style sheet (classes c0, c1, ...; see page.cpp), so that it also reads on a dark page.
#pragma once
#include <string>
#include <vector>

namespace aqueduct::figures {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Scale { kLinear, kLog };

/// What the numbers along an axis are, which decides how they are written and where ticks stand.
enum class Numbers { kPlain, kBytes };

struct Axis {
  std::string label;
  Scale scale = Scale::kLinear;
  Numbers numbers = Numbers::kPlain;
  double low = 0;   ///< with kLog, greater than 0
  double high = 0;  ///< where `low` and `high` are equal the curves decide
};

/// One of our curves, drawn as a line.
struct Curve {
  std::string name;
  std::vector<Point> points;  ///< by rising x
};

/// A value that the paper states, drawn as a ring in the colour of the curve that it belongs to.
struct Stated {
  std::size_t curve = 0;
  Point at;
  std::string text;
};

/// A value that the paper states for a whole axis: an asymptote, a size at which something happens.
struct Guide {
  bool vertical = false;
  double at = 0;
  std::string text;
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Curve> curves{};
  std::vector<Stated> stated{};
  std::vector<Guide> guides{};
};

/// The <svg> element.
std::string draw(const Chart& chart);

/// Text that may stand in an element or an attribute.
std::string escaped(const std::string& text);

}  // namespace aqueduct::figures
