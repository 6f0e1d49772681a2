// A simulated machine of SeaStar nodes: each has a NAL, a Portals library and the processes that use them.
//
//   sim::Simulation simulation({.model = &model, .nodes = 2});
//   seastar::Machine machine(simulation);
//   machine.start(0, "ping", {.bridge = BridgeKind::kQk},
//                 [] { PtlInit(...); PtlNIInit(PTL_IFACE_DEFAULT, ...); });
//   simulation.run();
//
// A node may have several processes, of any kinds: they share its processor, its interface and its library.
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

/// The kind of a process.
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
  /// If the interface has no room for another accelerated process, the process is not offered CRAY_ACCEL
  /// (PTL_IFACE_INVALID) and uses generic mode.
  void start(NodeId node, std::string name, ProcessKind kind, std::function<void()> main);

  /// Adds a process on `node` for a fiber of the caller, which makes it current (Process::Current). Lives as
  /// long as the machine.
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
