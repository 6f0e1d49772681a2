#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "labels.hpp"
#include "sensitivity.hpp"

namespace aqueduct::figures {
namespace {

constexpr double kNames = 190;  // room for the numbers' names
constexpr double kCell = 34;    // width of a field
constexpr double kLine = 21;    // height of one
constexpr double kEdge = 12;
/// A result that moves by its own value or more has the darkest field.
constexpr double kDarkest = 1;

/// Percent, short enough for a field.
std::string short_percent(double move) {
  const double percent = 100 * move;
  if (std::abs(percent) < 0.5) return "";
  if (std::abs(percent) >= 1000) return percent > 0 ? ">999" : "<-999";
  return fmt::format("{:+.0f}", percent);
}

}  // namespace

std::string sensitivity_svg(const std::string& title, const Sensitivity& sensitivity) {
  std::vector<const Influence*> rows;
  for (const Influence& influence : sensitivity.influences) {
    if (sensitivity.moves_something(influence)) rows.push_back(&influence);
  }
  double longest = 0;
  for (const Criterion& criterion : sensitivity.criteria) {
    longest = std::max(longest, text_width(criterion.what));
  }
  // Results are written upwards from their column, slanted by 60 degrees.
  const double slant = std::sin(M_PI / 3) * longest + 16, lean = std::cos(M_PI / 3) * longest;
  const double top = slant + 20;
  const double width = kNames + kCell * static_cast<double>(sensitivity.criteria.size()) + lean + kEdge;
  const double height = top + kLine * static_cast<double>(rows.size()) + kEdge;
  std::string out;
  const auto write = [&]<typename... Values>(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
    out += '\n';
  };
  write(R"(<text class="note" x="{}" y="14">Change of each result, in percent, when a number is halved or )"
        R"(doubled: whichever moves it more.</text>)",
        kEdge);
  const auto column = [&](std::size_t i) { return kNames + kCell * static_cast<double>(i); };
  for (std::size_t i = 0; i < sensitivity.criteria.size(); ++i) {
    const Criterion& criterion = sensitivity.criteria[i];
    write(R"x(<text class="{}" transform="translate({:.1f} {:.1f}) rotate(-60)">{}</text>)x",
          criterion.mark == Mark::kPredicted ? "label" : "note", column(i) + kCell / 2 + 4, top - 6,
          escaped(criterion.what));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double y = top + kLine * static_cast<double>(row);
    write(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", kNames - 8, y + 15,
          escaped(rows[row]->parameter));
    for (std::size_t i = 0; i < sensitivity.criteria.size(); ++i) {
      const double move = sensitivity.move(*rows[row], i);
      const double shade = std::min(std::abs(move) / kDarkest, 1.0);
      write(R"(<rect class="grid" x="{:.1f}" y="{:.1f}" width="{}" height="{}"/>)", column(i), y, kCell,
            kLine);
      const std::string percent = short_percent(move);
      if (percent.empty()) continue;
      write(R"(<rect class="shade {}" fill-opacity="{:.2f}" x="{:.1f}" y="{:.1f}" width="{}" height="{}"/>)",
            move > 0 ? "rise" : "fall", 0.08 + 0.6 * std::sqrt(shade), column(i), y, kCell, kLine);
      write(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
            column(i) + kCell / 2, y + 15, escaped(percent));
    }
  }
  return as_file(title, width, height, out);
}

}  // namespace aqueduct::figures
