// RandomAccess on the EXTOLL paper's cluster: 64 nodes of 16 cores on a mesh, 16 to 512 processes.
//
// Processes fill nodes, 16 to each, and nodes fill the most cube-like box in a corner of the mesh: a job of
// 256 processes has 4 x 2 x 2 nodes of a mesh of 4 x 4 x 4, or 4 x 4 of one of 8 x 8. All messages go through
// the card, also those within a node, because the paper's conduit does not use shared memory.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/topology.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::figures {

struct AccessRun {
  const char* conduit = "extoll";
  const char* am = nullptr;  ///< which implementation of active messages; null: the conduit's own choice
  const char* version = "active-messages";
  unsigned processes = 16;
  sim::Topology::Dimensions mesh{4, 4, 4};
  bool as_upc =
      false;  ///< one get and one put after the other by active messages, at the cost of a UPC program
  std::vector<scenarios::Setting> settings{};  ///< win over those of the run itself
};

/// All of it but the settings, in one line.
std::string text_of(const AccessRun& run);

/// The load of a cable in its busier direction.
struct CableLoad {
  sim::RouterId from, to;
  double busy_share;  ///< of the whole run
};

struct Access {
  double gups = 0;
  std::vector<CableLoad> cables;  ///< the cables that carried something
  fabric::NodeId nodes_used = 0;
  double busiest = 0;  ///< share of the busiest cable
};

/// Throws bench::portals::Failed.
Access run_access(const sim::NetworkModel& model, const AccessRun& run);

/// The nodes of a job in the order in which processes fill them.
std::vector<fabric::NodeId> nodes_of_job(unsigned processes, const sim::Topology::Dimensions& mesh);

inline constexpr unsigned kProcessesPerNode = 16;
inline constexpr fabric::NodeId kClusterNodes = 64;

}  // namespace aqueduct::figures
