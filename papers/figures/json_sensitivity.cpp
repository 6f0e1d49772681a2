// As data: each number with what it does to each result.
#include <nlohmann/json.hpp>

#include "papers/figures/sensitivity.hpp"

namespace aqueduct::figures {

std::string sensitivity_json(const Sensitivity& sensitivity) {
  using nlohmann::ordered_json;
  ordered_json results = ordered_json::array(), parameters = ordered_json::array();
  for (const Criterion& criterion : sensitivity.criteria) {
    results.push_back({{"what", criterion.what},
                       {"unit", criterion.unit},
                       {"mark", name_of(criterion.mark)},
                       {"value", criterion.value}});
  }
  for (const Influence& influence : sensitivity.influences) {
    parameters.push_back({{"parameter", influence.parameter},
                          {"value", influence.value},
                          {"mark", influence.mark},
                          {"source", influence.source},
                          {"largest_move", sensitivity.largest_move(influence)},
                          {"halved", influence.halved},
                          {"doubled", influence.doubled}});
  }
  return ordered_json{{"results", results}, {"parameters", parameters}}.dump(1) + "\n";
}

}  // namespace aqueduct::figures
