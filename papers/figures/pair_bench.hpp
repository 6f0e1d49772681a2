// Measurements between two neighbouring nodes of a simulated network, through the whole library: one job for
// each conduit, in which one measurement follows the other.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/network_model.hpp"
#include "tools/scenarios/pair.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::figures {

/// The conduit between the two nodes and its settings.
struct Carrier {
  const char* conduit;                  ///< "portals", "mpi-portals", "aries"
  const char* stage = nullptr;          ///< of the Portals conduit
  const char* long_protocol = nullptr;  ///< parts/long; null: the conduit's own choice
};

struct PairTask {
  scenarios::Pattern pattern;
  std::size_t bytes;
  unsigned count = 0;  ///< operations; 0: a sufficient number
};

/// Nanoseconds for an operation of each task. Processes use Portals as on Linux. `settings` win over those of
/// the carrier. Throws bench::portals::Failed; wrong data end the program with one line.
std::vector<double> measure(const sim::NetworkModel& model, const Carrier& carrier,
                            std::span<const PairTask> tasks,
                            const std::vector<scenarios::Setting>& settings = {});

}  // namespace aqueduct::figures
