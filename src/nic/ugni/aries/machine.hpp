// A simulated machine of Aries nodes: at each port an interface and the uGNI library of its process.
//
//   sim::Simulation simulation({.model = &model, .nodes = 2});
//   aries::Machine machine(simulation);
//   machine.start(0, "ping", [] { GNI_CdmCreate(...); ... });
//   simulation.run();
//
// Several processes of a node have a port each, which share the node's way into the network.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nic/ugni/aries/aries_device.hpp"
#include "nic/ugni/process.hpp"

namespace aqueduct::ugni::aries {

class Machine {
 public:
  explicit Machine(sim::Simulation& simulation);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Starts the process of a port; `main` runs as a fiber in which the GNI functions are the process's own.
  void start(NodeId port, std::string name, std::function<void()> main);

  /// The process of a port, for a fiber of somebody else's (Process::Current).
  Process& process(NodeId port);

 private:
  struct Site;

  sim::Simulation& simulation_;
  Costs costs_;
  std::vector<std::unique_ptr<Site>> sites_;
};

}  // namespace aqueduct::ugni::aries
