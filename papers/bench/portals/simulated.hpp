// The patterns between two processes of a simulated machine, in virtual time.
//
// A simulation is the same every time, so a handful of operations tells as much as a thousand.
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
  std::uint64_t operations = 0;  ///< those
};

/// Whether the network says what Portals costs on it.
bool carries_portals(const sim::NetworkModel& model);

/// One after the other on neighbouring nodes. Throws Failed, also where data came out wrong.
std::vector<Measured> measure(const SimulatedPair& pair, std::span<const Task> tasks);

}  // namespace aqueduct::bench::portals
