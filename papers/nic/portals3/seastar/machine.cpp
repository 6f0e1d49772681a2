#include "papers/nic/portals3/seastar/machine.hpp"

#include <utility>

namespace aqueduct::portals3::seastar {

struct Machine::Site {
  Site(sim::Simulation& simulation, NodeId number, const Costs& costs)
      : nal(simulation, number, costs), library(nal) {}

  SeaStarNal nal;
  Node library;
  std::uint64_t accelerated = 0;
};

struct Machine::Resident {
  void offer(ptl_interface_t id, Site& site, std::unique_ptr<Bridge> bridge, ptl_pid_t pid) {
    process.offer(id, site.library, *bridge, pid);
    bridges.push_back(std::move(bridge));
  }

  std::vector<std::unique_ptr<Bridge>> bridges;
  Process process;
};

Machine::Machine(sim::Simulation& simulation) : simulation_(simulation), costs_(*simulation.setup().model) {
  for (NodeId node = 0; node < simulation.ports(); ++node) {
    sites_.push_back(std::make_unique<Site>(simulation, node, costs_));
  }
}

// Processes close their interfaces, which needs their nodes.
Machine::~Machine() { residents_.clear(); }

const SeaStarNal& Machine::nal(NodeId node) const { return sites_[node]->nal; }

void Machine::start(NodeId node, std::string name, ProcessKind kind, std::function<void()> main) {
  Process* const process = &add(node, kind);
  simulation_.fibers().start(simulation_.host(node), std::move(name), [process, main = std::move(main)] {
    const Process::Current scope(process);
    main();
  });
}

Process& Machine::add(NodeId node, const ProcessKind& kind) {
  Site& site = *sites_[node];
  residents_.push_back(std::make_unique<Resident>());
  Resident& resident = *residents_.back();
  const NodeParts parts = site.nal.parts();
  if (kind.bridge == BridgeKind::kAccelerated) {
    if (site.accelerated < costs_.accelerated_clients) {
      ++site.accelerated;
      resident.offer(CRAY_ACCEL, site, std::make_unique<AcceleratedBridge>(parts, kind.identity), kind.pid);
    }
    resident.offer(CRAY_QK_NAL, site, std::make_unique<QkBridge>(parts, kind.identity), PTL_PID_ANY);
  } else if (kind.bridge == BridgeKind::kQk) {
    resident.offer(CRAY_QK_NAL, site, std::make_unique<QkBridge>(parts, kind.identity), kind.pid);
  } else if (kind.bridge == BridgeKind::kUk) {
    resident.offer(CRAY_UK_NAL, site, std::make_unique<UkBridge>(parts, kind.identity), kind.pid);
  } else {
    resident.offer(CRAY_K_NAL, site, std::make_unique<KBridge>(parts, kind.identity), kind.pid);
  }
  return resident.process;
}

}  // namespace aqueduct::portals3::seastar
