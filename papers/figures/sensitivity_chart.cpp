#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "matrix_chart.hpp"
#include "sensitivity.hpp"

namespace aqueduct::figures {
namespace {

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
  Matrix matrix{
      .note =
          "Change of each result, in percent, when a number is halved or doubled: whichever moves it more.",
      .headings = {},
      .rows = {}};
  for (const Criterion& criterion : sensitivity.criteria)
    matrix.headings.push_back({criterion.what, criterion.mark == Mark::kPredicted});
  for (const Influence& influence : sensitivity.influences) {
    if (!sensitivity.moves_something(influence)) continue;
    MatrixRow row{.name = influence.parameter, .fields = {}};
    for (std::size_t i = 0; i < sensitivity.criteria.size(); ++i) {
      const double move = sensitivity.move(influence, i);
      row.fields.push_back({.text = short_percent(move),
                            .shade = move > 0 ? "rise" : "fall",
                            .darkness = std::sqrt(std::min(std::abs(move) / kDarkest, 1.0))});
    }
    matrix.rows.push_back(std::move(row));
  }
  const Picture picture = draw(matrix);
  return as_file(title, picture.width, picture.height, picture.inner);
}

}  // namespace aqueduct::figures
