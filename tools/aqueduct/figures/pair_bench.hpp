// Measurements between two neighbouring nodes of a simulated network, through the whole library: one job for
// each conduit, in which one measurement follows the other.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "scenarios/pair.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::figures {

/// What carries the messages of the two.
struct Carrier {
  const char* conduit;  ///< "portals", "mpi-portals"
  const char* stage;    ///< of the Portals conduit
};

struct PairTask {
  scenarios::Pattern pattern;
  std::size_t bytes;
};

/// Nanoseconds for an operation of each task. The processes come to Portals as on Linux. Throws
/// bench::portals::Failed; what arrives wrong ends the program with one line.
std::vector<double> measure(const sim::NetworkModel& model, const Carrier& carrier,
                            std::span<const PairTask> tasks);

}  // namespace aqueduct::figures
