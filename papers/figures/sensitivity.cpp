#include "sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tools/common/networks.hpp"

namespace aqueduct::figures {
namespace {

/// A smaller part of a value is no move, but rounding to packets and picoseconds.
constexpr double kNothing = 0.001;
/// A result of zero moves by parts of this.
constexpr double kTiny = 1e-3;

/// With fewer of these the network could block, so it is refused.
constexpr const char* kNeverFewer = "link.channels";

std::vector<double> values_of(const std::vector<Criterion>& criteria) {
  std::vector<double> values;
  for (const Criterion& criterion : criteria) values.push_back(criterion.value);
  return values;
}

bool holds_at(const Criterion& criterion, double value) {
  return value >= criterion.least && value <= criterion.most;
}

}  // namespace

double Sensitivity::move(const Influence& influence, std::size_t i) const {
  const double own = criteria[i].value;
  const double unit = std::max(std::abs(own), kTiny);
  const double halved = (influence.halved[i] - own) / unit;
  const double doubled = (influence.doubled[i] - own) / unit;
  return std::abs(halved) > std::abs(doubled) ? halved : doubled;
}

double Sensitivity::largest_move(const Influence& influence) const {
  double largest = 0;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    largest = std::max(largest, std::abs(move(influence, i)));
  }
  return largest;
}

bool Sensitivity::moves_something(const Influence& influence) const {
  return largest_move(influence) > kNothing;
}

std::vector<std::string> Sensitivity::fragile() const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    if (criteria[i].mark != Mark::kPredicted || !criteria[i].holds()) continue;
    for (const Influence& influence : influences) {
      if (influence.mark != "assumed") continue;
      for (const bool is_double : {false, true}) {
        const double value = (is_double ? influence.doubled : influence.halved)[i];
        if (holds_at(criteria[i], value)) continue;
        found.push_back(fmt::format("{}: {:.4g} with {} {}", criteria[i].what, value, influence.parameter,
                                    is_double ? "doubled" : "halved"));
      }
    }
  }
  return found;
}

Sensitivity find_sensitivity(const Study& study, const Chosen& chosen, const Advance& advance,
                             std::string* error) {
  Sensitivity found;
  const auto measured = [&](const std::vector<std::string>& changes) -> std::vector<Criterion> {
    const auto machine = machine_of(study, chosen, changes, {}, error);
    if (!machine) return {};
    return study.measure(*machine, [](double) {}).criteria;
  };
  const std::vector<ChangeableNumber> numbers = numbers_of(study, chosen, Networks::kOwn, error);
  if (!error->empty()) return found;
  found.criteria = measured({});
  const std::vector<double> own = values_of(found.criteria);
  for (std::size_t i = 0; i < numbers.size() && error->empty(); ++i) {
    const sim::Number& number = numbers[i].number;
    Influence influence{.parameter = numbers[i].name,
                        .value = networks::value_text(number),
                        .mark = networks::mark_text(number),
                        .source = number.according_to,
                        .is_zero = numbers[i].is_zero(),
                        .halved = own,
                        .doubled = own};
    if (!influence.is_zero) {
      if (number.name != kNeverFewer) influence.halved = values_of(measured(scaled(numbers[i], 0.5)));
      influence.doubled = values_of(measured(scaled(numbers[i], 2)));
    }
    if (error->empty()) found.influences.push_back(std::move(influence));
    advance(static_cast<double>(i + 1) / static_cast<double>(numbers.size()));
  }
  std::ranges::stable_sort(found.influences, std::greater{},
                           [&](const Influence& influence) { return found.largest_move(influence); });
  return found;
}

std::string sensitivity_text(const Sensitivity& sensitivity) {
  std::string text;
  const auto write = [&]<typename... Values>(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  };
  write("What each number moves most, when it is halved and when it is doubled:\n");
  for (const Influence& influence : sensitivity.influences) {
    if (!sensitivity.moves_something(influence)) continue;
    std::size_t most = 0;
    for (std::size_t i = 0; i < sensitivity.criteria.size(); ++i) {
      if (std::abs(sensitivity.move(influence, i)) > std::abs(sensitivity.move(influence, most))) most = i;
    }
    const Criterion& criterion = sensitivity.criteria[most];
    write("  {:<26} {:<11} {:>6.1f} %  {}: {:.4g}, {:.4g} halved, {:.4g} doubled\n", influence.parameter,
          influence.mark, 100 * std::abs(sensitivity.move(influence, most)), criterion.what, criterion.value,
          influence.halved[most], influence.doubled[most]);
  }
  write("Numbers that move nothing:\n");
  for (const Influence& influence : sensitivity.influences) {
    if (sensitivity.moves_something(influence)) continue;
    const bool says_so = is_in_no_figure(influence.source);
    write("  {:<26} {:<11} {}{}\n", influence.parameter, influence.mark,
          influence.is_zero || says_so ? "" : "(its text does not say that it is in no figure) ",
          influence.is_zero ? "is 0: " + influence.source : influence.source);
  }
  const std::vector<std::string> fragile = sensitivity.fragile();
  write("Predictions that an assumed number, halved or doubled, breaks: {}\n", fragile.size());
  for (const std::string& line : fragile) write("  {}\n", line);
  return text;
}

}  // namespace aqueduct::figures
