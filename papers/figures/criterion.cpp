#include "criterion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace aqueduct::figures {
namespace {

constexpr Mark kMarks[] = {Mark::kInput, Mark::kFitted, Mark::kPredicted, Mark::kByConstruction};

const char* meaning_of(Mark mark) {
  switch (mark) {
    case Mark::kInput:
      return "put into the model by hand";
    case Mark::kFitted:
      return "a number was calibrated to it";
    case Mark::kPredicted:
      return "nothing was adjusted for it";
    case Mark::kByConstruction:
      return "it holds on every machine";
  }
  return "";
}

/// Four digits are enough, and more than the papers have.
std::string value_text(double value) { return fmt::format("{:.4g}", value); }

std::string with_unit(double value, const std::string& unit) {
  return unit.empty() ? value_text(value) : value_text(value) + " " + unit;
}

}  // namespace

const char* name_of(Mark mark) {
  switch (mark) {
    case Mark::kInput:
      return "input";
    case Mark::kFitted:
      return "fitted";
    case Mark::kPredicted:
      return "predicted";
    case Mark::kByConstruction:
      return "by construction";
  }
  return "";
}

const char* Criterion::verdict() const { return holds() ? "pass" : is_missed() ? "missed" : "FAIL"; }

Criterion within(std::string what, std::string unit, double value, double stated, double percent) {
  const double room = stated * percent / 100;
  return {.what = std::move(what),
          .unit = std::move(unit),
          .stated = fmt::format("{:g}", stated),
          .value = value,
          .least = stated - room,
          .most = stated + room};
}

Criterion input(Criterion criterion, std::vector<std::string> parameters) {
  criterion.mark = Mark::kInput;
  criterion.parameters = std::move(parameters);
  return criterion;
}

Criterion fitted(Criterion criterion, std::vector<std::string> parameters) {
  criterion.mark = Mark::kFitted;
  criterion.parameters = std::move(parameters);
  return criterion;
}

Criterion missed(Criterion criterion, std::string because) {
  criterion.missed_because = std::move(because);
  return criterion;
}

Criterion by_construction(Criterion criterion, std::string because) {
  criterion.mark = Mark::kByConstruction;
  criterion.holds_because = std::move(because);
  return criterion;
}

std::string band_text(const Criterion& criterion) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (criterion.most == kNone) return fmt::format("above {:.4g}", criterion.least);
  if (criterion.least == -kNone) return fmt::format("below {:.4g}", criterion.most);
  if (criterion.least == criterion.most) return fmt::format("{:.4g}", criterion.least);
  return fmt::format("{:.4g} to {:.4g}", criterion.least, criterion.most);
}

std::string line_of(const Criterion& criterion) {
  std::string line =
      fmt::format("{:<6}  {:<72} {:>9} {:<5} must be {}; stated: {}", criterion.verdict(), criterion.what,
                  value_text(criterion.value), criterion.unit, band_text(criterion), criterion.stated);
  if (!criterion.parameters.empty()) line += fmt::format("; by {}", fmt::join(criterion.parameters, ", "));
  if (criterion.is_missed()) line += fmt::format("; because {}", criterion.missed_because);
  if (!criterion.holds_because.empty()) line += fmt::format("; because {}", criterion.holds_because);
  if (criterion.holds() && !criterion.missed_because.empty()) line += "; was known to be missed";
  return line;
}

std::string line_without_judgement(const Criterion& criterion) {
  return fmt::format("        {:<72} {:>9} {:<5} (stated: {})", criterion.what, value_text(criterion.value),
                     criterion.unit, criterion.stated);
}

Tally::Tally(const std::vector<Criterion>& criteria) {
  for (const Criterion& criterion : criteria) {
    const bool is_prediction = criterion.mark == Mark::kPredicted;
    input += criterion.mark == Mark::kInput;
    fitted += criterion.mark == Mark::kFitted;
    predicted += is_prediction;
    predicted_and_held += is_prediction && criterion.holds();
    by_construction += criterion.mark == Mark::kByConstruction;
    missed += criterion.is_missed();
    failed += criterion.fails();
  }
}

std::string Tally::text() const {
  std::string text = fmt::format("{} criteria: {} input, {} fitted, {} predicted, of which {} hold", all(),
                                 input, fitted, predicted, predicted_and_held);
  if (by_construction != 0) text += fmt::format(", {} by construction", by_construction);
  if (missed != 0) text += fmt::format("; {} missed", missed);
  if (failed != 0) text += fmt::format("; {} failed", failed);
  return text;
}

std::string report(const std::vector<Criterion>& criteria) {
  std::string text;
  for (const Mark mark : kMarks) {
    const auto count = std::ranges::count(criteria, mark, &Criterion::mark);
    if (count == 0) continue;
    text += fmt::format("{}: {} ({})\n", name_of(mark), meaning_of(mark), count);
    for (const Criterion& criterion : criteria) {
      if (criterion.mark == mark) text += line_of(criterion) + "\n";
    }
  }
  return text + Tally(criteria).text() + "\n";
}

std::string markdown(const std::vector<Criterion>& criteria) {
  std::string text = "| | ours | must be | the paper says | mark |\n|---|---|---|---|---|\n";
  for (const Mark mark : kMarks) {
    for (const Criterion& criterion : criteria) {
      if (criterion.mark != mark) continue;
      std::string remark = name_of(mark);
      if (!criterion.parameters.empty())
        remark += fmt::format(": `{}`", fmt::join(criterion.parameters, "`, `"));
      if (!criterion.holds_because.empty()) remark += ": " + criterion.holds_because;
      if (criterion.is_missed()) remark += ", **missed**";
      text += fmt::format("| {} | {} | {} | {} | {} |\n", criterion.what,
                          with_unit(criterion.value, criterion.unit), band_text(criterion), criterion.stated,
                          remark);
    }
  }
  return text;
}

}  // namespace aqueduct::figures
