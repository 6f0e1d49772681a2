#include "sim/simulation.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "sim/network.hpp"
#include "sim/sim_port.hpp"

namespace aqueduct::sim {
namespace {

Topology make_topology(const Setup& setup) {
  return {setup.model->shape, setup.nodes, setup.dimensions ? &*setup.dimensions : nullptr};
}

}  // namespace

Simulation::Simulation(Setup setup)
    : setup_(std::move(setup)),
      engine_(setup_.seed),
      fibers_(engine_, setup_.stack_bytes),
      faults_(setup_.faults, setup_.seed, setup_.nodes),
      accounts_(*setup_.model),
      topology_(make_topology(setup_)) {
  hosts_.reserve(ports());
  for (fabric::NodeId port = 0; port < ports(); ++port) {
    hosts_.push_back(std::make_unique<Host>(engine_, accounts_, node_of(port)));
  }
  network_ = std::make_unique<Network>(*this);
  schedule_faults();
}

Simulation::~Simulation() = default;

fabric::Port& Simulation::port(fabric::NodeId port) { return network_->port(port); }
const Traffic& Simulation::traffic() const { return network_->traffic(); }

void Simulation::schedule_faults() {
  const FaultPlan& plan = faults_.plan();
  const auto check = [&](fabric::NodeId node) {
    if (node >= setup_.nodes) fatal("simulation", "a fault names node %u; there are %u", node, setup_.nodes);
  };
  if (plan.reorder != 0 && setup_.model->ordered) {
    fatal("simulation", "%s keeps messages in order, so nothing can be reordered there",
          setup_.model->name.c_str());
  }
  const auto hosts_of = [this](fabric::NodeId node, auto&& act) {
    for (fabric::NodeId port = 0; port < ports(); ++port) {
      if (node_of(port) == node) act(*hosts_[port]);
    }
  };
  for (const FaultPlan::Slow& slow : plan.slow) {
    check(slow.node);
    hosts_of(slow.node, [&](Host& host) { host.slow_down(slow.percent); });
    faults_.reached(FaultProbe::kSlowed);
  }
  for (const FaultPlan::Freeze& freeze : plan.freezes) {
    check(freeze.node);
    engine_.at(freeze.from, {kNodeFails, freeze.node}, [this, hosts_of, freeze] {
      hosts_of(freeze.node, [&](Host& host) { host.freeze_until(freeze.from + freeze.duration); });
      faults_.reached(FaultProbe::kFrozen);
    });
  }
  for (const FaultPlan::Crash& crash : plan.crashes) {
    check(crash.node);
    engine_.at(crash.when, {kNodeFails, crash.node}, [this, hosts_of, crash] {
      hosts_of(crash.node, [](Host& host) { host.crash(); });
      network_->crash(crash.node);
    });
  }
  for (const FaultPlan::Cut& cut : plan.cuts) {
    check(cut.node);
    check(cut.neighbour);
    if (topology_.distance(cut.node, cut.neighbour) != 1) {
      fatal("simulation", "there is no cable between nodes %u and %u", cut.node, cut.neighbour);
    }
    engine_.at(cut.when, {kNodeFails, cut.node}, [this, cut] { network_->cut(cut.node, cut.neighbour); });
  }
}

bool Simulation::run() {
  engine_.run();
  return std::all_of(fibers_.all().begin(), fibers_.all().end(),
                     [](const auto& fiber) { return fiber->ended() || fiber->host().crashed(); });
}

}  // namespace aqueduct::sim
