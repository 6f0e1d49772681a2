#include "sim/network_model.hpp"

#include <string>

#include "base/fatal.hpp"

namespace aqueduct::sim {

std::optional<CostId> NetworkModel::find_cost(std::string_view name) const {
  for (std::uint32_t i = 0; i < costs_.size(); ++i) {
    if (costs_[i].name == name) return CostId{i};
  }
  return std::nullopt;
}

CostId NetworkModel::cost(std::string_view name) const {
  if (const std::optional<CostId> found = find_cost(name)) return *found;
  fatal("simulation", "%s has no costs.%s, which this simulation needs", path_.c_str(),
        std::string(name).c_str());
}

std::uint64_t NetworkModel::nic(std::string_view name, Dimension dimension) const {
  const std::string full = "nic." + std::string(name);
  for (const Number& number : numbers_) {
    if (number.name != full) continue;
    if (number.dimension == dimension) return number.value;
    fatal("simulation", "%s: %s has a unit of another kind than expected", path_.c_str(), full.c_str());
  }
  fatal("simulation", "%s has no %s, which this simulation needs", path_.c_str(), full.c_str());
}

}  // namespace aqueduct::sim
