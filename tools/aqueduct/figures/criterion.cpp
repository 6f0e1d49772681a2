#include "criterion.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace aqueduct::figures {
namespace {

std::string band_of(const Criterion& criterion) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (criterion.most == kNone) return fmt::format("above {:.6g}", criterion.least);
  if (criterion.least == -kNone) return fmt::format("below {:.6g}", criterion.most);
  return fmt::format("{:.6g} to {:.6g}", criterion.least, criterion.most);
}

}  // namespace

Criterion within(std::string what, std::string unit, double value, double stated, double percent) {
  const double room = stated * percent / 100;
  return {.what = std::move(what),
          .unit = std::move(unit),
          .stated = fmt::format("{:g}", stated),
          .value = value,
          .least = stated - room,
          .most = stated + room};
}

std::string line_of(const Criterion& criterion) {
  return fmt::format("{}  {:<58} {:>9.6g} {:<5} must be {}; stated: {}", criterion.passed() ? "pass" : "FAIL",
                     criterion.what, criterion.value, criterion.unit, band_of(criterion), criterion.stated);
}

std::string line_without_judgement(const Criterion& criterion) {
  return fmt::format("      {:<58} {:>9.6g} {:<5} (stated: {})", criterion.what, criterion.value,
                     criterion.unit, criterion.stated);
}

}  // namespace aqueduct::figures
