// Compares the costs and gains of dynamic credits: nearest-neighbour traffic on a simulated machine, once
// with generous static credits (every peer permanently has the most that dynamic credits would lend it), once
// with dynamic ones. Scenario, seed and network are the same.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "criterion.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::figures {

struct CreditComparison {
  std::string table;  ///< for people
  std::vector<Criterion> criteria;
  std::string failure;  ///< the error, if a run has failed
};

/// The size of machine that the criteria are stated for.
inline constexpr unsigned kStatedNodes = 4096;

struct CreditRun {
  unsigned nodes = kStatedNodes;
  unsigned rounds = 0;  ///< 0: the scenario's own
  std::uint64_t seed = 1;
};

/// `model` must support Portals. The user's GASNET_PORTAL_* apply to the dynamic run. Calls `report` when
/// each of the two runs begins.
CreditComparison compare_credits(const sim::NetworkModel& model, const CreditRun& run,
                                 const std::function<void(const std::string& stage)>& report);

}  // namespace aqueduct::figures
