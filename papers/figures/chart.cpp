#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "labels.hpp"
#include "ticks.hpp"

namespace aqueduct::figures {
namespace {

// The drawing's units are those of a page of this width; it scales with the page.
constexpr double kWidth = 720;
constexpr double kPlotHeight = 330;
constexpr double kLeft = 66;
constexpr double kRight = 24;
constexpr double kBottom = 54;
constexpr double kMargin = 8;
constexpr double kLegendLine = 19;
constexpr double kLabelLine = 15;
constexpr double kSample = 34;  // the width of a line in the legend, with the space after it

/// Draws a chart whose bounds are settled; maps values to places.
class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), x_(chart.x), y_(chart.y) {
    std::vector<double> xs, ys;
    const auto hold = [&](const std::vector<Point>& points) {
      for (const Point& point : points) {
        xs.push_back(point.x);
        ys.push_back(point.y);
      }
    };
    for (const Curve& curve : chart.curves) hold(curve.points);
    for (const Band& band : chart.bands) hold(band.high);
    for (const Stated& stated : chart.stated) ys.push_back(stated.at.y);
    for (const Guide& guide : chart.guides) (guide.vertical ? xs : ys).push_back(guide.to.value_or(guide.at));
    settle_bounds(x_, xs);
    settle_bounds(y_, ys);
    lay_out();
  }

  double height() const { return bottom_ + kBottom; }

  /// Everything but the <svg> element around it.
  std::string inner() {
    legend();
    for (const Band& band : chart_.bands) draw_band(band);
    for (const Guide& guide : chart_.guides) draw_guide_area(guide);
    grid();
    for (const Guide& guide : chart_.guides) draw_guide(guide);
    for (const Curve& curve : chart_.curves) draw_curve(curve);
    for (const Stated& stated : chart_.stated) draw_stated(stated);
    labels();
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
  double down(double y) const { return bottom_ - part(y_, y) * kPlotHeight; }
  Point place(const Point& point) const { return {across(point.x), down(point.y)}; }
  bool inside(const Point& point) const {
    return point.x >= x_.low && point.x <= x_.high && point.y >= y_.low && point.y <= y_.high;
  }
  std::vector<Point> places(const std::vector<Point>& points) const {
    std::vector<Point> found;
    for (const Point& point : points) {
      if (inside(point)) found.push_back(place(point));
    }
    return found;
  }

  // The part above the plot: the legend in lines, and below it the labels of vertical guides in rows.

  struct Entry {
    double left;
    double y;
    std::string text;
    const Curve* curve = nullptr;
    const Band* band = nullptr;
  };

  void lay_out() {
    double x = kLeft, y = kMargin + kLegendLine / 2;
    const auto add = [&](Entry entry) {
      const double width = kSample + text_width(entry.text) * 1.05 + 18;
      if (x > kLeft && x + width > kWidth - kMargin) {
        x = kLeft;
        y += kLegendLine;
      }
      entry.left = x;
      entry.y = y;
      x += width;
      entries_.push_back(std::move(entry));
    };
    for (const Curve& curve : chart_.curves) add({.left = 0, .y = 0, .text = curve.name, .curve = &curve});
    if (!chart_.stated.empty()) add({.left = 0, .y = 0, .text = "stated in the paper"});
    for (const Band& band : chart_.bands) add({.left = 0, .y = 0, .text = band.text, .band = &band});
    std::vector<std::pair<double, std::string>> lines;
    for (const Guide& guide : chart_.guides) {
      if (guide.vertical) lines.emplace_back(middle_of(guide), guide.text);
    }
    top_labels_ = place_above(lines, kLeft, kWidth - kMargin);
    std::size_t rows = 0;
    for (const TopLabel& label : top_labels_) rows = std::max(rows, label.row + 1);
    top_ = y + kLegendLine / 2 + 6 + kLabelLine * static_cast<double>(rows) + (rows == 0 ? 0 : 4);
    bottom_ = top_ + kPlotHeight;
  }

  double middle_of(const Guide& guide) const {
    return guide.to ? (across(guide.at) + across(*guide.to)) / 2 : across(guide.at);
  }
  double row_bottom(std::size_t row) const { return top_ - 5 - kLabelLine * static_cast<double>(row); }

  void legend() {
    for (const Entry& entry : entries_) {
      if (entry.curve != nullptr) {
        write(R"(<path class="curve {}"{} d="M{:.1f} {:.1f}h26"/>)", class_of(entry.curve->system),
              dashes(entry.curve->system), entry.left, entry.y);
      } else if (entry.band != nullptr) {
        write(R"(<rect class="band {}" x="{:.1f}" y="{:.1f}" width="26" height="12"/>)",
              class_of(entry.band->system), entry.left, entry.y - 6);
      } else {
        write(R"(<circle class="stated" cx="{:.1f}" cy="{:.1f}" r="5.5"/>)", entry.left + 13, entry.y);
      }
      write(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", entry.left + kSample, entry.y + 4,
            escaped(entry.text));
    }
  }

  void grid() {
    const double right = kWidth - kRight;
    for (const Tick& tick : ticks(x_)) {
      const double at = across(tick.at);
      write(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)", at, top_, bottom_);
      write(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", at, bottom_ + 18,
            tick.text);
    }
    for (const Tick& tick : ticks(y_)) {
      const double at = down(tick.at);
      write(R"(<path class="grid" d="M{} {:.1f}H{}"/>)", kLeft, at, right);
      write(R"(<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 8, at + 4,
            tick.text);
    }
    write(R"(<path class="frame" d="M{} {:.1f}V{:.1f}H{}"/>)", kLeft, top_, bottom_, right);
    write(R"(<text x="{}" y="{:.1f}" text-anchor="middle">{}</text>)", (kLeft + right) / 2, height() - 12,
          escaped(x_.label));
    write(R"x(<text transform="translate(17 {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)x",
          (top_ + bottom_) / 2, escaped(y_.label));
  }

  void draw_band(const Band& band) {
    std::string path;
    const auto add = [&](const Point& point) {
      const Point at = place({std::clamp(point.x, x_.low, x_.high), std::clamp(point.y, y_.low, y_.high)});
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', at.x, at.y);
    };
    for (const Point& point : band.low) add(point);
    for (auto point = band.high.rbegin(); point != band.high.rend(); ++point) add(*point);
    write(R"(<path class="band {}" d="{}Z"><title>{}</title></path>)", class_of(band.system), path,
          escaped(band.text));
  }

  void draw_guide_area(const Guide& guide) {
    if (!guide.to) return;
    if (guide.vertical) {
      write(R"(<rect class="area" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", across(guide.at),
            top_, across(*guide.to) - across(guide.at), kPlotHeight);
    } else {
      write(R"(<rect class="area" x="{}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", kLeft,
            down(*guide.to), kWidth - kLeft - kRight, down(guide.at) - down(*guide.to));
    }
  }

  void draw_guide(const Guide& guide) {
    if (guide.to) return;
    if (guide.vertical) {
      write(R"(<path class="guide" d="M{:.1f} {:.1f}V{:.1f}"/>)", across(guide.at), top_, bottom_);
    } else {
      write(R"(<path class="guide" d="M{} {:.1f}H{}"/>)", kLeft, down(guide.at), kWidth - kRight);
    }
  }

  void draw_curve(const Curve& curve) {
    std::string path;
    for (const Point& at : places(curve.points)) {
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', at.x, at.y);
    }
    write(R"(<path class="curve {}"{} d="{}"><title>{}</title></path>)", class_of(curve.system),
          dashes(curve.system), path, escaped(curve.name));
  }

  static std::string dashes(System system) {
    const std::string text = dashes_of(system);
    return text.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", text);
  }

  void draw_stated(const Stated& stated) {
    const Point at = place(stated.at);
    write(R"(<circle class="stated {}" cx="{:.1f}" cy="{:.1f}" r="5.5"><title>{}</title></circle>)",
          class_of(chart_.curves[stated.curve].system), at.x, at.y, escaped(stated.text));
  }

  void labels() {
    for (const TopLabel& label : top_labels_) {
      const double y = row_bottom(label.row);
      if (label.row != 0) write(R"(<path class="guide" d="M{:.1f} {:.1f}V{:.1f}"/>)", label.at, y + 3, top_);
      write(R"(<text class="note" x="{:.1f}" y="{:.1f}">{}</text>)", label.left, y, escaped(label.text));
    }
    std::vector<Box> taken;
    for (const Guide& guide : chart_.guides) {
      if (!guide.vertical) label_height(guide, taken);
    }
  }

  /// Places the label along its line, where no curve and no other label is.
  void label_height(const Guide& guide, std::vector<Box>& taken) {
    const double line = down(guide.to ? *guide.to : guide.at);
    const double width = text_width(guide.text);
    const auto is_free = [&](const Box& box) {
      if (box.top < top_ || box.bottom > bottom_) return false;
      if (std::ranges::any_of(taken, [&](const Box& other) { return box.overlaps(other); })) return false;
      if (std::ranges::any_of(chart_.guides, [&](const Guide& other) {
            return other.vertical && middle_of(other) > box.left - 3 && middle_of(other) < box.right + 3;
          }))
        return false;
      return std::ranges::none_of(chart_.curves,
                                  [&](const Curve& curve) { return passes(places(curve.points), box); });
    };
    const double lines[] = {line - 17, line + 3};
    const double last = kWidth - kRight - width - 6;
    Box box{.left = last, .top = lines[0], .right = last + width, .bottom = lines[0] + 15};
    for (double left = last; left > kLeft; left -= 20) {
      const auto fits = [&](double top) {
        const Box here{.left = left, .top = top, .right = left + width, .bottom = top + 15};
        if (!is_free(here)) return false;
        box = here;
        return true;
      };
      if (std::ranges::any_of(lines, fits)) break;
    }
    taken.push_back(box);
    write(R"(<text class="note" x="{:.1f}" y="{:.1f}">{}</text>)", box.left, box.bottom - 3,
          escaped(guide.text));
  }

  const Chart& chart_;
  Axis x_;
  Axis y_;
  double top_ = 0;
  double bottom_ = 0;
  std::vector<Entry> entries_;
  std::vector<TopLabel> top_labels_;
  std::string out_;
};

}  // namespace

std::string draw(const Chart& chart) {
  Drawing drawing(chart);
  return fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n", kWidth,
                     drawing.height(), escaped(chart.title), drawing.inner());
}

std::string standalone(const Chart& chart) {
  Drawing drawing(chart);
  const double height = drawing.height();
  return as_file(chart.title, kWidth, height, drawing.inner());
}

}  // namespace aqueduct::figures
