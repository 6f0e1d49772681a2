// What dynamic credits cost and gain: nearest-neighbour traffic on a simulated machine, once with static
// credits that are generous (every peer has for good the most that dynamic credits would ever lend it), once
// with dynamic ones. The same scenario, seed and network; only the credits differ.
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
  std::string failure;  ///< what went wrong, if a run did not come to its end
};

/// The size of machine that the criteria are stated for.
inline constexpr unsigned kStatedNodes = 4096;

struct CreditRun {
  unsigned nodes = kStatedNodes;
  unsigned rounds = 0;  ///< 0: the scenario's own
  std::uint64_t seed = 1;
};

/// `model` carries Portals. The user's GASNET_PORTAL_* count for the dynamic run. `report` is told which of
/// the two runs begins.
CreditComparison compare_credits(const sim::NetworkModel& model, const CreditRun& run,
                                 const std::function<void(const std::string& stage)>& report);

}  // namespace aqueduct::figures
