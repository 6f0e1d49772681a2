#include "sim/simulation.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "sim/fault_places.hpp"
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
  share_cores();
  network_ = std::make_unique<Network>(*this);
  schedule_faults();
}

Simulation::~Simulation() = default;

fabric::Port& Simulation::port(fabric::NodeId port) { return network_->port(port); }
const Traffic& Simulation::traffic() const { return network_->traffic(); }

void Simulation::share_cores() {
  const NetworkModel& model = *setup_.model;
  if (model.cores == 0) return;
  std::vector<std::vector<Host*>> machines((setup_.nodes - 1) / model.nodes_of_machine + 1);
  for (const auto& host : hosts_) machines[host->node() / model.nodes_of_machine].push_back(host.get());
  for (const std::vector<Host*>& machine : machines) {
    if (machine.size() <= model.cores) continue;
    const std::size_t first = cores_.size();
    for (std::uint32_t i = 0; i < model.cores; ++i) cores_.push_back(std::make_unique<Core>());
    for (std::size_t i = 0; i < machine.size(); ++i) {
      const std::size_t core = i % model.cores;
      const std::size_t ranks = (machine.size() - core - 1) / model.cores + 1;  // of this core
      const Time turn = model.turn + (ranks > 2 ? (ranks - 2) * model.turn_more : 0);
      machine[i]->share(*cores_[first + core], {turn, model.patience});
    }
  }
}

void Simulation::schedule_faults() {
  const FaultPlan& plan = faults_.plan();
  if (const std::string wrong = misfit(plan, topology_, *setup_.model); !wrong.empty())
    fatal("simulation", "%s", wrong.c_str());
  const auto hosts_of = [this](fabric::NodeId node, auto&& act) {
    for (fabric::NodeId port = 0; port < ports(); ++port) {
      if (node_of(port) == node) act(*hosts_[port]);
    }
  };
  for (const FaultPlan::Slow& slow : plan.slow) {
    hosts_of(slow.node, [&](Host& host) { host.slow_down(slow.percent); });
    faults_.reached(FaultProbe::kSlowed);
  }
  for (const FaultPlan::Freeze& freeze : plan.freezes) {
    engine_.at(freeze.from, {kNodeFails, freeze.node}, [this, hosts_of, freeze] {
      hosts_of(freeze.node, [&](Host& host) { host.freeze_until(freeze.from + freeze.duration); });
      faults_.reached(FaultProbe::kFrozen);
    });
  }
  const auto crash = [this, hosts_of](fabric::NodeId node) {
    hosts_of(node, [](Host& host) { host.crash(); });
    network_->crash(node);
  };
  for (const FaultPlan::Crash& its : plan.crashes)
    engine_.at(its.when, {kNodeFails, its.node}, [crash, node = its.node] { crash(node); });
  for (const FaultPlan::Cut& cut : plan.cuts) {
    engine_.at(cut.when, {kNodeFails, cut.cable.a}, [this, cut] {
      network_->cut(links_of(cut.cable, topology_), cut.cable.a);
      faults_.reached(FaultProbe::kLinkCut);
    });
  }
  for (const FaultPlan::DeadRouter& dead : plan.dead_routers) {
    engine_.at(dead.when, {kNodeFails, dead.router}, [this, crash, router = dead.router] {
      network_->cut(links_at(router, topology_), router);
      faults_.reached(FaultProbe::kRouterDied);
      for (fabric::NodeId node = 0; node < setup_.nodes; ++node)
        if (topology_.router_of(node) == router) crash(node);
    });
  }
  for (const FaultPlan::SlowLink& slow : plan.slow_links)
    for (const LinkId link : links_of(slow.cable, topology_))
      network_->switching().slow_down(link, slow.percent);
}

bool Simulation::run() {
  engine_.run();
  return std::all_of(fibers_.all().begin(), fibers_.all().end(),
                     [](const auto& fiber) { return fiber->ended() || fiber->host().crashed(); });
}

void Simulation::run_aside(const std::function<void()>& main) {
  const Accounts accounts = accounts_;
  const Traffic traffic = network_->traffic();
  engine_.begin_aside();
  fibers_.start(*hosts_[0], "what follows the job", [&] {
    main();
    engine_.stop();
  });
  engine_.run();
  engine_.end_aside();
  accounts_.restore(accounts);
  network_->restore(traffic);
}

}  // namespace aqueduct::sim
