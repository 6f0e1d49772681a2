// As data: each wrong machine with what each criterion says there.
#include <cmath>
#include <nlohmann/json.hpp>

#include "papers/figures/falsification.hpp"

namespace aqueduct::figures {
namespace {

const char* word_for(Error error) {
  switch (error) {
    case Error::kTenfold:
      return "ten times";
    case Error::kTenth:
      return "a tenth";
    case Error::kSwitchedOff:
      return "switched off";
  }
  return "";
}

}  // namespace

std::string falsification_json(const Falsification& falsification) {
  using nlohmann::ordered_json;
  ordered_json criteria = ordered_json::array(), rows = ordered_json::array();
  for (std::size_t i = 0; i < falsification.criteria.size(); ++i) {
    const Criterion& criterion = falsification.criteria[i];
    criteria.push_back({{"what", criterion.what},
                        {"unit", criterion.unit},
                        {"mark", name_of(criterion.mark)},
                        {"value", criterion.value},
                        {"pass", criterion.holds()},
                        {"errors_noticed", falsification.count(i)}});
  }
  for (const FalsifiedRow& row : falsification.rows) {
    ordered_json machines = ordered_json::array();
    for (const std::size_t place : row.machines) {
      const WrongMachine& machine = falsification.machines[place];
      ordered_json changes = machine.overrides, noticed_by = ordered_json::array(),
                   values = ordered_json::array(), explains = ordered_json::array();
      for (const auto& [name, value] : machine.settings) changes.push_back(name + "=" + value);
      for (const std::size_t i : falsification.noticed_by(machine))
        noticed_by.push_back(falsification.criteria[i].what);
      for (std::size_t i = 0; i < machine.values.size(); ++i) {
        values.push_back(std::isfinite(machine.values[i]) ? ordered_json(machine.values[i]) : ordered_json());
        if (falsification.explains(machine, i)) explains.push_back(falsification.criteria[i].what);
      }
      machines.push_back(
          {{"error", word_for(machine.error)},
           {"changes", changes},
           {"failed_because", machine.why_not.empty() ? ordered_json() : ordered_json(machine.why_not)},
           {"noticed_by", noticed_by},
           {"missed_but_holds_here", explains},
           {"values", values}});
    }
    rows.push_back({{"what", row.what}, {"mark", row.mark}, {"source", row.source}, {"machines", machines}});
  }
  return ordered_json{{"criteria", criteria}, {"wrong_machines", rows}}.dump(1) + "\n";
}

}  // namespace aqueduct::figures
