#include "sim/units.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace aqueduct::sim {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  double scale;  // factor to the base unit; of a bandwidth, bytes per second
};

constexpr Unit kUnits[] = {
    {"ps", Dimension::kTime, 1},          {"ns", Dimension::kTime, 1e3},
    {"us", Dimension::kTime, 1e6},        {"ms", Dimension::kTime, 1e9},
    {"s", Dimension::kTime, 1e12},        {"B", Dimension::kBytes, 1},
    {"KiB", Dimension::kBytes, 1024},     {"MiB", Dimension::kBytes, 1024 * 1024},
    {"MB/s", Dimension::kBandwidth, 1e6}, {"GB/s", Dimension::kBandwidth, 1e9},
    {"1", Dimension::kCount, 1},
};

}  // namespace

std::optional<Quantity> quantity(double number, std::string_view unit) {
  for (const Unit& known : kUnits) {
    if (known.name != unit) continue;
    double value = number * known.scale;
    if (known.dimension == Dimension::kBandwidth) {
      if (!(value > 0)) return std::nullopt;
      value = 1e15 / value;
    }
    if (!(value >= 0) || value > 9e18) return std::nullopt;
    return Quantity{static_cast<std::uint64_t>(std::llround(value)), known.dimension};
  }
  return std::nullopt;
}

std::optional<Quantity> quantity(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  return quantity(number, unit.empty() ? "1" : unit);
}

const char* name_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kTime:
      return "a time (ps, ns, us, ms, s)";
    case Dimension::kBytes:
      return "a number of bytes (B, KiB, MiB)";
    case Dimension::kBandwidth:
      return "a bandwidth (MB/s, GB/s)";
    case Dimension::kCount:
      return "a plain number (unit \"1\")";
  }
  return "";
}

ShortTime show(Time time) {
  static constexpr struct {
    Time unit;
    const char* name;
  } kSteps[] = {{kSecond, "s"}, {kMillisecond, "ms"}, {kMicrosecond, "us"}, {kNanosecond, "ns"}};
  ShortTime shown{};
  for (const auto& step : kSteps) {
    if (time < step.unit) continue;
    std::snprintf(shown.text, sizeof shown.text, "%.4g %s",
                  static_cast<double>(time) / static_cast<double>(step.unit), step.name);
    return shown;
  }
  std::snprintf(shown.text, sizeof shown.text, "%llu ps", static_cast<unsigned long long>(time));
  return shown;
}

}  // namespace aqueduct::sim
