// The contract for network interfaces of simulated machines.
//
// A Simulation (simulation.hpp) has nodes, processors, a network and its bare ports. A MachineKind adds the
// interfaces: it puts one at every port, and prepares each rank so that the interface's library finds the
// rank's own process. A conduit names the interface that it runs on (conduit::Description::nic), which
// selects the machine; tools/aqueduct/machines.cpp lists the kinds.
//
//   const std::unique_ptr<Machine> machine = kind.build(simulation, "");
//   SimulatedJob job(simulation, {.machine = machine.get()});
//
// An interface is made of parts in this folder: a Firmware that does one command at a time, an InterruptLine
// to its host, the port, and the names of its costs in the network's file.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "base/types.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::sim {

/// The interfaces of one simulation. It outlives the ranks; the simulation outlives it.
class Machine {
 public:
  virtual ~Machine() = default;
  /// Called in the fiber of a rank before its main: from now on calls of the interface's library belong to
  /// this rank (Context::nic).
  virtual void enter(RankId rank) = 0;
};

/// A way in which ranks may reach an interface (through which operating system, say).
struct Access {
  const char* name;
  const char* summary;
};

struct MachineKind {
  const char* nic;      ///< as conduits name it
  const char* summary;  ///< one line
  /// Ranks use their ports themselves, not through interfaces: Setup::reports_wait.
  bool reports_wait;
  /// The first one is the default; empty if there is only one way.
  std::span<const Access> accesses;
  /// Puts an interface at every port. `access` is one of the above, or empty. Ends the program with one line
  /// if the network's file lacks a number that the interface needs.
  std::unique_ptr<Machine> (*build)(Simulation& simulation, std::string_view access);

  bool has(std::string_view access) const;
};

/// The bare fabric: ranks use their ports directly.
extern const MachineKind kFabricMachine;

}  // namespace aqueduct::sim
