// A chart as an SVG drawing: curves over one pair of axes, statements of a paper about them, and a legend.
//
// Nothing covers a curve: the legend and the labels of sizes are above the plot, and the label of a height is
// where no curve passes.
//
// In a page, colours come from the page's style sheet (page.cpp), so that a chart is legible on a dark page
// as well. A separate file needs no script, font or style from elsewhere.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "system.hpp"

namespace aqueduct::figures {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Scale { kLinear, kLog };

/// The kind of numbers along an axis, which decides their form and the places of ticks.
enum class Numbers { kPlain, kBytes };

struct Axis {
  std::string label;
  Scale scale = Scale::kLinear;
  Numbers numbers = Numbers::kPlain;
  double low = 0;   ///< with kLog, greater than 0
  double high = 0;  ///< if `low` and `high` are equal the curves decide
};

/// A measured curve, drawn as a line.
struct Curve {
  System system = System::kPut;
  std::string name;
  std::vector<Point> points;  ///< by rising x
};

/// A value that the paper states, drawn as a ring in the colour of its curve.
struct Stated {
  std::size_t curve = 0;
  Point at;
  std::string text;
};

/// The range of a curve according to the paper, drawn as an area between `low` and `high`, which have the
/// same xs.
struct Band {
  System system = System::kPut;
  std::vector<Point> low;
  std::vector<Point> high;
  std::string text;
};

/// A value that the paper states for a whole axis, drawn as a line across: an asymptote, or a special size.
/// If the paper is vague, an area up to `to`.
struct Guide {
  bool vertical = false;
  double at = 0;
  std::optional<double> to{};
  std::string text;
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Curve> curves{};
  std::vector<Stated> stated{};
  std::vector<Band> bands{};
  std::vector<Guide> guides{};
};

/// The <svg> element for a page.
std::string draw(const Chart& chart);

/// The same as a file.
std::string standalone(const Chart& chart);

/// The style rules for the parts of a drawing, with the colours --ink, --dim, --card and --rule of the page.
extern const char* const kDrawingRules;

/// Makes a file of a drawing, with the title above it, on white.
std::string as_file(const std::string& title, double width, double height, const std::string& inner);

/// Text with escapes for an element or an attribute.
std::string escaped(const std::string& text);

}  // namespace aqueduct::figures
