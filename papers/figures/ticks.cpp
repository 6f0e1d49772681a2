#include "ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aqueduct::figures {
namespace {

constexpr int kWantedTicks = 6;
/// Up to this value an axis of bytes has its ticks at hundreds, not at parts of 1024.
constexpr double kPlainBytes = 2048;
/// Room above the highest value, as a part of the range.
constexpr double kHeadroom = 0.04;
/// Ticks that rounding has moved beyond the end by less than this part of a step still count.
constexpr double kSlack = 1e-6;

double round_step(double range) {
  const double rough = range / kWantedTicks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= rough * (1 - kSlack)) return factor * power;
  }
  return 10 * power;
}

/// Bytes are counted in powers of 1024, as sizes of messages are.
double byte_unit(double most) {
  constexpr double kKiB = 1024;
  if (most >= kKiB * kKiB) return kKiB * kKiB;
  return most >= kKiB ? kKiB : 1;
}

std::string byte_text(double value) {
  const double unit = byte_unit(value);
  return fmt::format("{:g}{}", value / unit, unit == 1 ? "" : unit == 1024 ? "K" : "M");
}

std::vector<Tick> linear_ticks(const Axis& axis) {
  std::vector<Tick> found;
  const bool bytes = axis.numbers == Numbers::kBytes;
  const double unit = bytes && axis.high > kPlainBytes ? byte_unit(axis.high) : 1;
  const double step = round_step((axis.high - axis.low) / unit) * unit;
  for (double n = std::ceil(axis.low / step - kSlack); n * step <= axis.high + kSlack * step; ++n) {
    const double at = n == 0 ? 0 : n * step;  // not minus zero
    found.push_back({.at = at, .text = bytes ? byte_text(at) : fmt::format("{:g}", at)});
  }
  return found;
}

/// A tick at every power of two, with numbers only at every second or third if they would be too close.
std::vector<Tick> binary_ticks(const Axis& axis) {
  std::vector<Tick> found;
  const int first = static_cast<int>(std::ceil(std::log2(axis.low) - kSlack));
  const int last = static_cast<int>(std::floor(std::log2(axis.high) + kSlack));
  constexpr int kMostNumbers = 13;
  const int every = (last - first) / kMostNumbers + 1;
  for (int n = first; n <= last; ++n) {
    const bool numbered = (n - first) % every == 0;
    found.push_back({.at = std::exp2(n), .text = numbered ? byte_text(std::exp2(n)) : ""});
  }
  return found;
}

std::vector<Tick> decimal_ticks(const Axis& axis) {
  std::vector<Tick> found;
  for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high; decade *= 10) {
    for (int n = 1; n < 10; ++n) {
      const double at = n * decade;
      if (at < axis.low * (1 - kSlack) || at > axis.high * (1 + kSlack)) continue;
      const bool numbered = n == 1 || n == 2 || n == 5;
      found.push_back({.at = at, .text = numbered ? fmt::format("{:g}", at) : ""});
    }
  }
  return found;
}

}  // namespace

std::vector<Tick> ticks(const Axis& axis) {
  if (axis.scale == Scale::kLinear) return linear_ticks(axis);
  return axis.numbers == Numbers::kBytes ? binary_ticks(axis) : decimal_ticks(axis);
}

void settle_bounds(Axis& axis, const std::vector<double>& values) {
  if (axis.low != axis.high || values.empty()) return;
  const auto [least, most] = std::ranges::minmax(values);
  if (axis.scale == Scale::kLog) {
    axis.low = least;
    axis.high = most;
    return;
  }
  axis.low = std::min(0.0, least);
  const double step = round_step(most - axis.low);
  axis.high = axis.low + step * std::ceil((most - axis.low) * (1 + kHeadroom) / step);
}

}  // namespace aqueduct::figures
