#include "labels.hpp"

#include <algorithm>
#include <cmath>

namespace aqueduct::figures {
namespace {

constexpr double kLetter = 6.6;  // of the widest usual letters
constexpr double kGap = 8;

/// Whether the segment enters the box: cuts off the part outside of each side.
bool segment_passes(Point from, Point to, const Box& box) {
  double first = 0, last = 1;
  const auto cut = [&](double start, double rise, double low, double high) {
    if (rise == 0) return start >= low && start <= high;
    double enter = (low - start) / rise, leave = (high - start) / rise;
    if (enter > leave) std::swap(enter, leave);
    first = std::max(first, enter);
    last = std::min(last, leave);
    return first <= last;
  };
  return cut(from.x, to.x - from.x, box.left, box.right) && cut(from.y, to.y - from.y, box.top, box.bottom);
}

bool meet(const TopLabel& label, const TopLabel& other) {
  const double right = label.left + text_width(label.text), other_right = other.left + text_width(other.text);
  if (label.row == other.row) return label.left < other_right + kGap && other.left < right + kGap;
  // A line passes all rows below that of its label.
  if (label.row > other.row) return label.at > other.left - 2 && label.at < other_right + 2;
  return other.at > label.left - 2 && other.at < right + 2;
}

/// Finds places for labels `next` and those after it that leave all before it where they are.
bool place_from(std::size_t next, std::vector<TopLabel>& labels, double low, double high, std::size_t rows) {
  if (next == labels.size()) return true;
  TopLabel& label = labels[next];
  const double width = text_width(label.text);
  for (label.row = 0; label.row < rows; ++label.row) {
    // Centred on its line if possible, otherwise on either side of it.
    for (const double left : {label.at - width / 2, label.at - width + 4, label.at - 4}) {
      label.left = std::clamp(left, low, std::max(low, high - width));
      const bool is_free = std::none_of(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(next),
                                        [&](const TopLabel& other) { return meet(label, other); });
      if (is_free && place_from(next + 1, labels, low, high, rows)) return true;
    }
  }
  return false;
}

}  // namespace

double text_width(const std::string& text) {
  // Does not count continuation bytes of UTF-8.
  const auto letters = std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
  return kLetter * static_cast<double>(letters);
}

bool passes(const std::vector<Point>& points, const Box& box) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (segment_passes(points[i - 1], points[i], box)) return true;
  }
  return false;
}

std::vector<TopLabel> place_above(const std::vector<std::pair<double, std::string>>& lines, double low,
                                  double high) {
  std::vector<TopLabel> labels;
  for (const auto& [at, text] : lines) labels.push_back({.at = at, .left = at, .row = 0, .text = text});
  // As few rows as possible; one for each label is always enough, unless lines are at the same place.
  for (std::size_t rows = 1; rows <= labels.size(); ++rows) {
    if (place_from(0, labels, low, high, rows)) return labels;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i].row = i;
  return labels;
}

}  // namespace aqueduct::figures
