#include "matrix_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "labels.hpp"

namespace aqueduct::figures {
namespace {

constexpr double kLeastNames = 190;  // room for the names of rows
constexpr double kFieldWidth = 34;
constexpr double kFieldHeight = 21;
constexpr double kEdge = 12;
constexpr double kSlant = M_PI / 3;

template <typename Items, typename TextOf>
double longest(const Items& items, const TextOf& text_of) {
  double width = 0;
  for (const auto& item : items) width = std::max(width, text_width(text_of(item)));
  return width;
}

}  // namespace

Picture draw(const Matrix& matrix) {
  const double heading = longest(matrix.headings, [](const MatrixHeading& one) { return one.text; });
  const double names =
      std::max(kLeastNames, longest(matrix.rows, [](const MatrixRow& row) { return row.name; }) + 2 * kEdge);
  // Headings are written upwards from their column.
  const double top = std::sin(kSlant) * heading + 36;
  Picture picture;
  picture.width =
      names + kFieldWidth * static_cast<double>(matrix.headings.size()) + std::cos(kSlant) * heading + kEdge;
  picture.height = top + kFieldHeight * static_cast<double>(matrix.rows.size()) + kEdge;
  const auto write = [&]<typename... Values>(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(picture.inner), format, std::forward<Values>(values)...);
    picture.inner += '\n';
  };
  write(R"(<text class="note" x="{}" y="14">{}</text>)", kEdge, escaped(matrix.note));
  const auto column = [&](std::size_t i) { return names + kFieldWidth * static_cast<double>(i); };
  for (std::size_t i = 0; i < matrix.headings.size(); ++i) {
    write(R"x(<text class="{}" transform="translate({:.1f} {:.1f}) rotate(-60)">{}</text>)x",
          matrix.headings[i].is_strong ? "label" : "note", column(i) + kFieldWidth / 2 + 4, top - 6,
          escaped(matrix.headings[i].text));
  }
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    const double y = top + kFieldHeight * static_cast<double>(row);
    write(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", names - 8, y + 15,
          escaped(matrix.rows[row].name));
    for (std::size_t i = 0; i < matrix.rows[row].fields.size(); ++i) {
      const MatrixField& field = matrix.rows[row].fields[i];
      write(R"(<rect class="grid" x="{:.1f}" y="{:.1f}" width="{}" height="{}"/>)", column(i), y, kFieldWidth,
            kFieldHeight);
      if (field.text.empty()) continue;
      write(R"(<rect class="shade {}" fill-opacity="{:.2f}" x="{:.1f}" y="{:.1f}" width="{}" height="{}"/>)",
            field.shade, 0.08 + 0.6 * field.darkness, column(i), y, kFieldWidth, kFieldHeight);
      write(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
            column(i) + kFieldWidth / 2, y + 15, escaped(field.text));
    }
  }
  return picture;
}

}  // namespace aqueduct::figures
