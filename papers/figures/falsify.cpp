#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "falsification.hpp"
#include "papers/bench/portals/side.hpp"
#include "sim/simulation.hpp"
#include "tools/common/networks.hpp"
#include "tools/common/side_by_side.hpp"

namespace aqueduct::figures {
namespace {

constexpr double kFactor = 10;
/// A wrong machine may take so many times the events of the study's own. (Not the time, or a busy machine or
/// a debug build would have another result.)
constexpr std::uint64_t kMostTimes = 1000;
/// Nor may it stand still: so many times the processor time, and at least the second.
constexpr double kMostSeconds = 2 * kMostTimes;
constexpr unsigned kLeastLimitS = 120;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::uint64_t most_events = 0;  // of a wrong machine, in its fork

void look_at_events(const sim::Engine&) {
  if (sim::Engine::events_of_process() > most_events)
    throw bench::portals::Failed(
        fmt::format("not over after {} times the events of the study's own machine", kMostTimes));
}

/// What a process hands back: for each criterion its value, and whether it holds.
struct Judged {
  double value;
  double holds;
};

std::string packed(const std::vector<Criterion>& criteria) {
  std::string text(criteria.size() * sizeof(Judged), '\0');
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const Judged judged{criteria[i].value, criteria[i].holds() ? 1.0 : 0.0};
    std::memcpy(text.data() + i * sizeof(Judged), &judged, sizeof judged);
  }
  return text;
}

void unpack(const std::string& text, WrongMachine& machine) {
  for (std::size_t at = 0; at + sizeof(Judged) <= text.size(); at += sizeof(Judged)) {
    Judged judged;
    std::memcpy(&judged, text.data() + at, sizeof judged);
    machine.values.push_back(judged.value);
    machine.holds.push_back(judged.holds != 0);
  }
}

std::string changes_text(const Mechanism& mechanism) {
  std::vector<std::string> all = mechanism.overrides;
  for (const auto& [name, value] : mechanism.settings) all.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(all, ", "));
}

void add_mechanisms(Falsification& found, const Study& study, const Chosen& chosen) {
  for (const Mechanism& mechanism : study.mechanisms) {
    if (!chosen.only.empty() && std::ranges::find(chosen.only, mechanism.name) == chosen.only.end()) continue;
    found.rows.push_back({.what = mechanism.name,
                          .value = changes_text(mechanism),
                          .mark = "",
                          .source = mechanism.summary,
                          .machines = {found.machines.size()}});
    found.machines.push_back({.what = mechanism.name,
                              .error = Error::kSwitchedOff,
                              .overrides = mechanism.overrides,
                              .settings = mechanism.settings});
  }
}

void add_numbers(Falsification& found, const std::vector<ChangeableNumber>& numbers) {
  for (const ChangeableNumber& number : numbers) {
    if (number.is_zero()) continue;
    FalsifiedRow row{.what = number.name,
                     .value = networks::value_text(number.number),
                     .mark = networks::mark_text(number.number),
                     .source = number.number.according_to};
    for (const Error error : {Error::kTenfold, Error::kTenth}) {
      std::vector<std::string> overrides = scaled(number, error == Error::kTenfold ? kFactor : 1 / kFactor);
      if (overrides.empty()) continue;
      row.machines.push_back(found.machines.size());
      found.machines.push_back({.what = number.name, .error = error, .overrides = std::move(overrides)});
    }
    found.rows.push_back(std::move(row));
  }
}

}  // namespace

Falsification falsify(const Study& study, const Chosen& chosen, const Advance& advance, std::string* error) {
  Falsification found;
  const std::vector<ChangeableNumber> numbers = numbers_of(study, chosen, Networks::kAll, error);
  if (!error->empty()) return found;
  const auto own = machine_of(study, chosen, {}, {}, error);
  if (!own) return found;
  const double start = processor_seconds();
  const std::uint64_t events_before = sim::Engine::events_of_process();
  found.criteria = study.measure(*own, [](double) {}).criteria;
  const double spent = processor_seconds() - start;
  const std::uint64_t events = sim::Engine::events_of_process() - events_before;
  add_mechanisms(found, study, chosen);
  add_numbers(found, numbers);
  const auto work = [&](std::size_t piece) {
    most_events = sim::Engine::events_of_process() + kMostTimes * events;
    sim::Engine::set_observer(look_at_events);
    const WrongMachine& machine = found.machines[piece];
    std::string refusal;
    const auto wrong = machine_of(study, chosen, machine.overrides, machine.settings, &refusal);
    if (!wrong) throw bench::portals::Failed("refused: " + refusal);
    return packed(study.measure(*wrong, [](double) {}).criteria);
  };
  const std::vector<Answer> answers = run_side_by_side(
      found.machines.size(), work,
      {.processor_limit_s = std::max(kLeastLimitS, static_cast<unsigned>(spent * kMostSeconds)),
       .advance = advance});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    WrongMachine& machine = found.machines[i];
    if (answers[i].is_there) unpack(answers[i].text, machine);
    if (machine.values.size() != found.criteria.size()) {
      machine.why_not =
          answers[i].is_there ? "other criteria than those of the study's machine" : answers[i].why;
    }
  }
  return found;
}

}  // namespace aqueduct::figures
