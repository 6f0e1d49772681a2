// The contract for network interfaces of simulated machines.
//
// A Simulation (simulation.hpp) has nodes, processors, a network and its bare ports. What ranks find there is
// said by a MachineKind: it puts an interface at every port, and prepares each rank so that the interface's
// library finds the rank's own process. A conduit names the interface that it runs on
// (conduit::Description::nic), so whoever runs ranks finds the machine by data; tools/aqueduct/machines.cpp
// lists the kinds.
//
//   const std::unique_ptr<Machine> machine = kind.build(simulation, "");
//   SimulatedJob job(simulation, {.machine = machine.get()});
//
// An interface is made of what is in this folder: a Firmware that works one command at a time, an
// InterruptLine to its host, the port, and the names of its costs in the network's file.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "base/types.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::sim {

/// The interfaces of one simulation. Outlives the ranks, and is gone before the simulation is.
class Machine {
 public:
  virtual ~Machine() = default;
  /// By the fiber of a rank, before its main: from now on calls to the interface's library are this rank's
  /// (Context::nic).
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
  /// Ranks use their ports themselves: Setup::reports_wait. False where interfaces do.
  bool reports_wait;
  /// The first is what ranks get unless they ask; empty if there is one way only.
  std::span<const Access> accesses;
  /// An interface at every port. `access` is one of the above, or empty. Ends the program with one line if
  /// the network's file lacks a number that the interface needs.
  std::unique_ptr<Machine> (*build)(Simulation& simulation, std::string_view access);

  bool has(std::string_view access) const;
};

/// The bare fabric: nothing stands between a rank and its port.
extern const MachineKind kFabricMachine;

}  // namespace aqueduct::sim
