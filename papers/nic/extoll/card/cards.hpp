// The cards of a simulated machine, one per node, which the processes of the node share, and their costs.
#pragma once
#include <map>

#include "papers/nic/extoll/card/costs.hpp"
#include "papers/nic/simulated_device.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::extoll::card {

class Cards {
 public:
  /// Ends the program with one line if the network lacks a number.
  explicit Cards(const NetworkModel& model) : costs_(model) {}

  const Costs& costs() const { return costs_; }

  /// The units of a port's node, made at their first use.
  nic::InterfaceUnits& of(sim::Simulation& simulation, fabric::NodeId port) {
    const fabric::NodeId node = simulation.node_of(port);
    return cards_.try_emplace(node, simulation, node).first->second;
  }

 private:
  Costs costs_;
  std::map<fabric::NodeId, nic::InterfaceUnits> cards_;
};

}  // namespace aqueduct::extoll::card
