#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "curve_reading.hpp"
#include "ticks.hpp"

namespace aqueduct::figures {
namespace {

// The drawing's units are those of a page of this width; it scales with the page.
constexpr double kWidth = 720;
constexpr double kHeight = 430;
constexpr double kLeft = 66;
constexpr double kRight = 22;
constexpr double kTop = 16;
constexpr double kBottom = 54;
constexpr double kLegendLine = 19;

/// A chart whose bounds are settled, with its way from values to places.
class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), x_(chart.x), y_(chart.y) {
    std::vector<double> xs, ys;
    for (const Curve& curve : chart.curves) {
      for (const Point& point : curve.points) {
        xs.push_back(point.x);
        ys.push_back(point.y);
      }
    }
    for (const Stated& stated : chart.stated) ys.push_back(stated.at.y);
    for (const Guide& guide : chart.guides) (guide.vertical ? xs : ys).push_back(guide.at);
    settle_bounds(x_, xs);
    settle_bounds(y_, ys);
  }

  std::string svg() {
    write(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth, kHeight, escaped(chart_.title));
    grid();
    for (const Guide& guide : chart_.guides) draw_guide(guide);
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) draw_curve(i);
    for (const Stated& stated : chart_.stated) draw_stated(stated);
    legend();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <typename... Values>
  void write(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    out_ += '\n';
  }

  static double part(const Axis& axis, double value) {
    if (axis.scale == Scale::kLinear) return (value - axis.low) / (axis.high - axis.low);
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
  }
  double across(double x) const { return kLeft + part(x_, x) * (kWidth - kLeft - kRight); }
  double down(double y) const { return kHeight - kBottom - part(y_, y) * (kHeight - kTop - kBottom); }

  void grid() {
    const double bottom = kHeight - kBottom;
    const double right = kWidth - kRight;
    for (const Tick& tick : ticks(x_)) {
      const double at = across(tick.at);
      write(R"(<path class="grid" d="M{:.1f} {}V{}"/>)", at, kTop, bottom);
      write(R"(<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", at, bottom + 18,
            tick.text);
    }
    for (const Tick& tick : ticks(y_)) {
      const double at = down(tick.at);
      write(R"(<path class="grid" d="M{} {:.1f}H{}"/>)", kLeft, at, right);
      write(R"(<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 8, at + 4,
            tick.text);
    }
    write(R"(<path class="frame" d="M{} {}V{}H{}"/>)", kLeft, kTop, bottom, right);
    write(R"(<text class="label" x="{}" y="{}" text-anchor="middle">{}</text>)", (kLeft + right) / 2,
          kHeight - 12, escaped(x_.label));
    write(R"x(<text class="label" transform="translate(17 {}) rotate(-90)" text-anchor="middle">{}</text>)x",
          (kTop + bottom) / 2, escaped(y_.label));
  }

  void draw_guide(const Guide& guide) {
    const std::string text = escaped(guide.text);
    if (guide.vertical) {
      const double at = across(guide.at);
      write(R"(<path class="guide" d="M{:.1f} {}V{}"/>)", at, kTop, kHeight - kBottom);
      const bool low = more_room_below(guide.at);
      write(R"x(<text class="note" transform="translate({:.1f} {}) rotate(-90)" text-anchor="{}">{}</text>)x",
            at - 5, low ? kHeight - kBottom - 8 : kTop + 8, low ? "start" : "end", text);
    } else {
      const double at = down(guide.at);
      write(R"(<path class="guide" d="M{} {:.1f}H{}"/>)", kLeft, at, kWidth - kRight);
      write(R"(<text class="note" x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kWidth - kRight - 4,
            at - 5, text);
    }
  }

  /// Whether the curves leave more room under them than above them at `x`.
  bool more_room_below(double x) const {
    double lowest = 1, highest = 0;
    for (const Curve& curve : chart_.curves) {
      const double y = std::clamp(part(y_, value_at(curve, x)), 0.0, 1.0);
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
    }
    return lowest > 1 - highest;
  }

  bool inside(const Point& point) const {
    return point.x >= x_.low && point.x <= x_.high && point.y >= y_.low && point.y <= y_.high;
  }

  void draw_curve(std::size_t index) {
    const Curve& curve = chart_.curves[index];
    std::string path;
    for (const Point& point : curve.points) {
      if (!inside(point)) continue;
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', across(point.x),
                     down(point.y));
    }
    write(R"(<path class="curve c{}" d="{}"><title>{}</title></path>)", index, path, escaped(curve.name));
  }

  void draw_stated(const Stated& stated) {
    write(R"(<circle class="stated c{}" cx="{:.1f}" cy="{:.1f}" r="5.5"><title>{}</title></circle>)",
          stated.curve, across(stated.at.x), down(stated.at.y), escaped(stated.text));
  }

  /// The corner of the plot that curves and guides touch least: true for the bottom, true for the right.
  std::pair<bool, bool> emptiest_corner() const {
    std::size_t crowd[2][2] = {};
    for (const Curve& curve : chart_.curves) {
      for (const Point& point : curve.points) {
        if (!inside(point)) continue;
        const double x = part(x_, point.x), y = part(y_, point.y);
        if (x < 0.45 && y > 0.6) ++crowd[0][0];
        if (x > 0.55 && y > 0.6) ++crowd[0][1];
        if (x < 0.45 && y < 0.4) ++crowd[1][0];
        if (x > 0.55 && y < 0.4) ++crowd[1][1];
      }
    }
    for (const Guide& guide : chart_.guides) {
      if (!guide.vertical) continue;
      const double x = part(x_, guide.at);
      if (x < 0.45 || x > 0.55) ++crowd[more_room_below(guide.at)][x > 0.55];
    }
    std::pair<bool, bool> best{false, false};
    for (const auto& corner : {std::pair{true, true}, std::pair{false, true}, std::pair{true, false}}) {
      if (crowd[corner.first][corner.second] < crowd[best.first][best.second]) best = corner;
    }
    return best;
  }

  void legend() {
    const std::size_t lines = chart_.curves.size() + (chart_.stated.empty() ? 0 : 1);
    std::size_t longest = std::string("stated in the paper").size();
    for (const Curve& curve : chart_.curves) longest = std::max(longest, curve.name.size());
    const double width = 44 + 6.4 * static_cast<double>(longest);
    const double height = kLegendLine * static_cast<double>(lines) + 10;
    const auto [bottom, right] = emptiest_corner();
    const double x = right ? kWidth - kRight - width - 10 : kLeft + 26;
    double y = bottom ? kHeight - kBottom - height - 10 : kTop + 10;
    write(R"(<rect class="legend" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="4"/>)", x, y,
          width, height);
    y += 5 + kLegendLine / 2;
    for (std::size_t i = 0; i < chart_.curves.size(); ++i, y += kLegendLine) {
      write(R"(<path class="curve c{}" d="M{:.1f} {:.1f}h20"/>)", i, x + 9, y);
      write(R"(<text class="key" x="{:.1f}" y="{:.1f}">{}</text>)", x + 36, y + 4,
            escaped(chart_.curves[i].name));
    }
    if (chart_.stated.empty()) return;
    write(R"(<circle class="stated" cx="{:.1f}" cy="{:.1f}" r="5.5"/>)", x + 19, y);
    write(R"(<text class="key" x="{:.1f}" y="{:.1f}">stated in the paper</text>)", x + 36, y + 4);
  }

  const Chart& chart_;
  Axis x_;
  Axis y_;
  std::string out_;
};

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string draw(const Chart& chart) { return Drawing(chart).svg(); }

}  // namespace aqueduct::figures
