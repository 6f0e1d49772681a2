#include "run_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

namespace aqueduct {
namespace {

struct TimeUnit {
  std::string_view name;
  double ns;
};
constexpr std::array<TimeUnit, 5> kTimeUnits{{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"ps", 1e-3}}};
constexpr std::string_view kStoredTime = "ns";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == ':' ||
                           text.back() == '=' || text.back() == ','))
    text.remove_suffix(1);
  return text;
}

/// Where the next number begins, from `at` on; npos if there is none. Digits within a word are none.
std::size_t next_number(std::string_view line, std::size_t at) {
  for (; at < line.size(); ++at) {
    const bool has_sign = (line[at] == '-' || line[at] == '+') && at + 1 < line.size();
    if (!is_digit(line[has_sign ? at + 1 : at])) continue;
    const char before = at == 0 ? ' ' : line[at - 1];
    if (!is_letter(before) && !is_digit(before) && before != '_' && before != '.' && before != '-') return at;
    while (at + 1 < line.size() && (is_digit(line[at + 1]) || line[at + 1] == '.')) ++at;
  }
  return line.npos;
}

/// The words between a number and the next one, as far as they are about it: up to a punctuation mark, and
/// without a preposition that leads to what follows.
std::string unit_in(std::string_view between) {
  between = between.substr(0, between.find_first_of(",;:()[]|="));
  std::string_view unit = trimmed(between);
  for (const std::string_view leading : {"on", "in", "of", "at", "at most", "to", "from", "and", "times"}) {
    if (unit == leading) return "";
    const std::string tail = " " + std::string(leading);
    if (unit.ends_with(tail)) unit.remove_suffix(tail.size());
  }
  return std::string(unit);
}

void take_line(std::string_view line, std::vector<PrintedFigure>& figures) {
  std::size_t at = next_number(line, 0);
  if (at == line.npos) return;
  const std::string name(trimmed(line.substr(0, std::min(at, line.find("  ")))));
  while (at != line.npos) {
    double value = 0;
    const char* const first = line.data() + at + (line[at] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(first, line.data() + line.size(), value);
    if (error != std::errc()) return;
    const auto rest = static_cast<std::size_t>(end - line.data());
    at = next_number(line, rest);
    std::string unit = unit_in(line.substr(rest, at == line.npos ? line.npos : at - rest));
    for (const TimeUnit& time : kTimeUnits) {
      // What follows a time says what it is the time of, and belongs to the sentence, not to the unit.
      const std::string_view word = std::string_view(unit).substr(0, unit.find(' '));
      if (word != time.name) continue;
      value *= time.ns;
      unit = kStoredTime;
      break;
    }
    figures.push_back({name, std::move(unit), value});
  }
}

// The part of Student's distribution with `freedom` degrees of freedom that lies within -t..t: the finite
// series for whole degrees.
double within(double t, std::uint64_t freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool is_odd = freedom % 2 == 1;
  double term = is_odd ? cosine : 1, sum = 0;
  for (std::uint64_t k = is_odd ? 1 : 0; k + 2 <= freedom; k += 2) {
    sum += term;
    const auto index = static_cast<double>(k);
    term *= cosine * cosine * (index + 1) / (index + 2);
  }
  return is_odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

}  // namespace

std::vector<PrintedFigure> printed_figures(std::string_view output) {
  std::vector<PrintedFigure> figures;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    take_line(output.substr(0, end), figures);
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return figures;
}

double student_95(std::uint64_t count) {
  constexpr double kWanted = 0.95;
  constexpr std::uint64_t kManyEnough = 100'000;  // the normal distribution by then, to six digits
  const std::uint64_t freedom = std::min(count - 1, kManyEnough);
  double low = 0, high = 13;  // 12.706 with one degree of freedom
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (within(middle, freedom) < kWanted ? low : high) = middle;
  }
  return high;
}

void RunStatistics::add(std::string_view output) {
  std::map<std::string, unsigned> seen;
  for (PrintedFigure& figure : printed_figures(output)) {
    std::string key = figure.name + '\n' + figure.unit;
    const unsigned number = seen[key]++;
    key += '\n' + std::to_string(number);
    const auto [place, is_new] = places_.try_emplace(key, gathered_.size());
    if (is_new) {
      gathered_.push_back({.name = std::move(figure.name), .unit = std::move(figure.unit)});
      gathered_.back().least = gathered_.back().most = figure.value;
    }
    Gathered& it = gathered_[place->second];
    ++it.runs;
    const double distance = figure.value - it.mean;
    it.mean += distance / static_cast<double>(it.runs);
    it.squares += distance * (figure.value - it.mean);
    it.least = std::min(it.least, figure.value);
    it.most = std::max(it.most, figure.value);
  }
}

std::vector<FigureStatistics> RunStatistics::figures() const {
  std::vector<FigureStatistics> figures;
  for (const Gathered& it : gathered_) {
    FigureStatistics figure{it.name, it.unit, it.runs, it.mean, 0, it.least, it.most};
    if (it.runs >= 2) {
      const auto runs = static_cast<double>(it.runs);
      figure.half_width = student_95(it.runs) * std::sqrt(it.squares / (runs - 1) / runs);
    }
    if (it.unit == kStoredTime) {
      const TimeUnit* const unit = std::ranges::find_if(
          kTimeUnits, [&](const TimeUnit& time) { return std::abs(it.mean) >= time.ns; });
      const TimeUnit& suits = unit != kTimeUnits.end() ? *unit : kTimeUnits[3];
      figure.unit = suits.name;
      for (double* const value : {&figure.mean, &figure.half_width, &figure.least, &figure.most})
        *value /= suits.ns;
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::string RunStatistics::table() const {
  const std::vector<FigureStatistics> all = figures();
  std::size_t name_width = 6, unit_width = 4;
  for (const FigureStatistics& figure : all) {
    name_width = std::max(name_width, figure.name.size());
    unit_width = std::max(unit_width, figure.unit.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:>6}  {:>12}  {:>12}  {:>12}  {:>12}\n", "figure",
                                 name_width, "unit", unit_width, "runs", "mean", "95 % +-", "least", "most");
  for (const FigureStatistics& figure : all) {
    text += fmt::format("{:<{}}  {:<{}}  {:>6}  {:>12.6g}  {:>12.3g}  {:>12.6g}  {:>12.6g}\n", figure.name,
                        name_width, figure.unit, unit_width, figure.runs, figure.mean, figure.half_width,
                        figure.least, figure.most);
  }
  return text;
}

}  // namespace aqueduct
