// A simulated machine: nodes with processors and interfaces, on a network, in virtual time.
//
//   Simulation simulation({.model = &model, .nodes = 2, .seed = 7});
//   simulation.fibers().start(simulation.host(0), "sender", [&] { ... simulation.port(0).send(...) ... });
//   simulation.run();
//
// Ports and nodes. A node has `ports_per_node` ports that share its interface (they take turns in sending and
// receiving); NodeIds at the ports (fabric::Port) count ports: port p is at node p / ports_per_node, or where
// `placement` says. With one port per node they are the same. Every port has a processor of its own, host(p);
// reports to the port's client come from the event loop and are followed by host(p).notify().
//
// Cores. If the network's file has [host], machines have so many cores, and where a machine has more ports
// their hosts share them in turn (core.hpp), each core by the ports of one remainder.
//
// Everything belongs to one thread and lives as long as the simulation; results are the same on every
// machine.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/engine/engine.hpp"
#include "sim/faults.hpp"
#include "sim/fiber.hpp"
#include "sim/host.hpp"
#include "sim/network_model.hpp"
#include "sim/topology.hpp"

namespace aqueduct::sim {

class Network;

struct Setup {
  const NetworkModel* model = nullptr;  ///< outlives the simulation
  fabric::NodeId nodes = 2;
  std::optional<Topology::Dimensions> dimensions{};  ///< of torus and mesh; otherwise the most cube-like box
  unsigned ports_per_node = 1;
  /// The node of each port (placement.hpp), in place of ports_per_node to each node.
  std::vector<fabric::NodeId> placement{};
  std::uint64_t seed = 0;
  FaultPlan faults{};
  /// Adds the bytes of headers and payloads to the trace hash. Only for bytes without addresses.
  bool trace_bytes = false;
  /// Ports report in progress(), as live ones do, and not from the event loop (sim_port.hpp).
  bool reports_wait = false;
  /// Every burst goes packet by packet, also where its way is clear (network.hpp): the same times where
  /// nothing has to wait, truer ones under load.
  bool every_packet = false;
  std::size_t stack_bytes = Fibers::kDefaultStackBytes;
};

/// What the network has carried.
struct Traffic {
  std::uint64_t messages = 0;  ///< delivered, each once
  std::uint64_t payload_bytes = 0;
  std::uint64_t tries = 0;
};

class Simulation {
 public:
  explicit Simulation(Setup setup);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const Setup& setup() const { return setup_; }
  Engine& engine() { return engine_; }
  Fibers& fibers() { return fibers_; }
  Faults& faults() { return faults_; }
  Accounts& accounts() { return accounts_; }
  Network& network() { return *network_; }
  const Accounts& accounts() const { return accounts_; }
  const Topology& topology() const { return topology_; }
  fabric::NodeId ports() const {
    return setup_.placement.empty() ? setup_.nodes * setup_.ports_per_node
                                    : static_cast<fabric::NodeId>(setup_.placement.size());
  }
  fabric::NodeId node_of(fabric::NodeId port) const {
    return setup_.placement.empty() ? port / setup_.ports_per_node : setup_.placement[port];
  }
  Host& host(fabric::NodeId port) { return *hosts_[port]; }
  fabric::Port& port(fabric::NodeId port);
  const Traffic& traffic() const;

  /// Runs until no event is left. True if all fibers have ended, except those of crashed nodes. Otherwise
  /// some wait for ever, and fibers().describe_stuck() says for what.
  bool run();
  /// Runs `main` as a fiber, and everything else that happens until it ends. That is no part of the results:
  /// not of the time, the trace, the accounts and the traffic.
  void run_aside(const std::function<void()>& main);

 private:
  void share_cores();
  void schedule_faults();

  Setup setup_;
  Engine engine_;
  Fibers fibers_;
  Faults faults_;
  Accounts accounts_;
  Topology topology_;
  std::vector<std::unique_ptr<Core>> cores_;  // that several hosts share
  std::vector<std::unique_ptr<Host>> hosts_;
  std::unique_ptr<Network> network_;
};

}  // namespace aqueduct::sim
