// A simulated machine of SeaStar nodes: on each a NAL and a Portals library, and the processes that use them.
//
//   sim::Simulation simulation({.model = &model, .nodes = 2});
//   seastar::Machine machine(simulation);
//   machine.start(0, "ping", {.bridge = BridgeKind::kQk},
//                 [] { PtlInit(...); PtlNIInit(PTL_IFACE_DEFAULT, ...); });
//   simulation.run();
//
// Several processes may live on a node, of any kind side by side: they share its processor, its interface and
// its library.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "papers/nic/portals3/process.hpp"
#include "papers/nic/portals3/seastar/seastar_nal.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::portals3::seastar {

enum class BridgeKind : std::uint8_t { kQk, kUk, kK, kAccelerated };

/// What a process is to its node.
struct ProcessKind {
  /// Its default interface. A process of kind kAccelerated can also open CRAY_QK_NAL, for generic mode.
  BridgeKind bridge = BridgeKind::kQk;
  ptl_pid_t pid = PTL_PID_ANY;
  Identity identity{};
};

class Machine {
 public:
  explicit Machine(sim::Simulation& simulation);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Starts a process on `node`; `main` runs as a fiber in which the Ptl functions are the process's own.
  /// An accelerated process beyond what the interface can hold is offered no CRAY_ACCEL (PTL_IFACE_INVALID);
  /// its default is then generic mode.
  void start(NodeId node, std::string name, ProcessKind kind, std::function<void()> main);

  /// A process on `node` that somebody else runs, as the current one (Process::Current) of a fiber of its
  /// own. Lives as long as the machine.
  Process& add(NodeId node, const ProcessKind& kind);

  const SeaStarNal& nal(NodeId node) const;

 private:
  struct Site;      // of a node
  struct Resident;  // a process with its bridges

  Site& site(NodeId node);

  sim::Simulation& simulation_;
  Costs costs_;
  std::vector<std::unique_ptr<Site>> sites_;
  std::vector<std::unique_ptr<Resident>> residents_;
};

}  // namespace aqueduct::portals3::seastar
