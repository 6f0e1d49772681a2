// The patterns between two processes of a simulated machine, in virtual time.
//
// A simulation is the same every time, so a few operations are enough.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "exchange.hpp"
#include "papers/nic/portals3/seastar/machine.hpp"
#include "sim/faults.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::bench::portals {

struct SimulatedPair {
  const sim::NetworkModel* model = nullptr;
  portals3::seastar::BridgeKind bridge = portals3::seastar::BridgeKind::kQk;
  std::uint64_t seed = 0;
  sim::FaultPlan faults{};
};

struct Task {
  Pattern pattern = Pattern::kPut;
  std::size_t bytes = 0;
};

struct Measured {
  double ns = 0;  ///< of one operation
  std::uint64_t interrupts =
      0;  ///< of both hosts, for all operations of the task that were timed or warmed up
  std::uint64_t operations = 0;  ///< the number of these operations
};

/// Whether the network's file has the costs of Portals.
bool carries_portals(const sim::NetworkModel& model);

/// Measures the tasks one after the other on neighbouring nodes. Throws Failed, also if data are wrong.
std::vector<Measured> measure(const SimulatedPair& pair, std::span<const Task> tasks);

}  // namespace aqueduct::bench::portals
