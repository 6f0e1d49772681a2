// A simulated machine of network interfaces: each port has one, with its library's process.
//
//   sim::Simulation simulation({.model = &model, .nodes = 2});
//   Machine machine(simulation);
//   machine.start(0, "ping", [] { velo2_open(...); ... });
//   simulation.run();
//
// Each process of a node has its own port; these ports share the node's way into the network. `Device` is
// constructed from simulation, port and costs, `Costs` from the network's model, `Process` from the device.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::nic {

template <class Device, class Process, class Costs>
class SimulatedMachine {
 public:
  explicit SimulatedMachine(sim::Simulation& simulation)
      : simulation_(simulation), costs_(*simulation.setup().model) {
    for (fabric::NodeId port = 0; port < simulation.ports(); ++port)
      sites_.push_back(std::make_unique<Site>(simulation, port, costs_));
  }
  SimulatedMachine(const SimulatedMachine&) = delete;
  SimulatedMachine& operator=(const SimulatedMachine&) = delete;

  /// Starts the process of a port; `main` runs as a fiber in which the library's functions are the process's
  /// own.
  void start(fabric::NodeId port, const std::string& name, std::function<void()> main) {
    Process* const process = &sites_[port]->process;
    simulation_.fibers().start(simulation_.host(port), name, [process, main = std::move(main)] {
      const typename Process::Current scope(process);
      main();
    });
  }

  /// The process of a port, for a fiber of the caller (Process::Current).
  Process& process(fabric::NodeId port) { return sites_[port]->process; }

 private:
  struct Site {
    Site(sim::Simulation& simulation, fabric::NodeId port, Costs& costs)
        : device(simulation, port, costs), process(device) {}

    Device device;
    Process process;
  };

  sim::Simulation& simulation_;
  Costs costs_;
  std::vector<std::unique_ptr<Site>> sites_;
};

/// The same for simulated ranks: each is the process of its port.
template <class Sites, class Process>
class SimulatedRankMachine final : public sim::Machine {
 public:
  explicit SimulatedRankMachine(sim::Simulation& simulation) : machine_(simulation) {}

  void enter(RankId rank) override { Process::exchange_current(&machine_.process(rank)); }

 private:
  Sites machine_;
};

}  // namespace aqueduct::nic
