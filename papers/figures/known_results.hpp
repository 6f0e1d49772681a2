// Results that this process has measured before. A simulation is the same every time, so what is known need
// not be measured again, as long as its key names everything that decides it.
//
// Falsification measures a study on hundreds of machines, and most of them differ from the study's own in one
// of several networks.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/network_model.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::figures {

/// All numbers of the network and the settings, as a part of a key.
std::string key_of(const sim::NetworkModel& model, const std::vector<scenarios::Setting>& settings);

template <typename Result>
Result known_or_measured(const std::string& key, const std::function<Result()>& measure) {
  static std::map<std::string, Result> known;
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, measure()).first->second;
}

}  // namespace aqueduct::figures
