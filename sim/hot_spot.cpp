#include "sim/hot_spot.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "sim/network.hpp"

namespace aqueduct::sim {

HotSpot::HotSpot(Network& network, const FaultPlan::HotSpot& plan) : network_(network), plan_(plan) {
  Simulation& simulation = network.simulation();
  constexpr fabric::NodeId kNone = ~0u;
  std::vector<fabric::NodeId> first_port(simulation.setup().nodes, kNone);
  for (fabric::NodeId port = simulation.ports(); port-- > 0;) first_port[simulation.node_of(port)] = port;
  target_ = first_port[plan.node];
  if (target_ == kNone) fatal("simulation", "no rank is on node %u, so it cannot be a hot spot", plan.node);
  for (fabric::NodeId node = 0; node < simulation.setup().nodes; ++node)
    if (node != plan.node && first_port[node] != kNone) senders_.push_back(first_port[node]);
  apart_ = std::max<Time>(network.into_node_of_background() * 100 / plan.percent, 1);
  if (!senders_.empty())
    simulation.engine().at(plan.from, {kBackgroundLeaves, plan.node}, [this] { send_next(); });
}

void HotSpot::send_next() {
  Engine& engine = network_.simulation().engine();
  if (engine.now() - plan_.from >= plan_.duration) return;
  network_.send_background(senders_[turn_], target_, kMostUnderWay);
  turn_ = (turn_ + 1) % senders_.size();
  engine.after(apart_, {kBackgroundLeaves, plan_.node}, [this] { send_next(); });
}

}  // namespace aqueduct::sim
