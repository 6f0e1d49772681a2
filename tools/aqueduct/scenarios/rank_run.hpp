// How the tool runs ranks on a simulated network.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nic/portals3/seastar/machine.hpp"
#include "scenarios.hpp"
#include "sim/simulated_job.hpp"

namespace aqueduct::scenarios {

/// Variables of the environment for one run.
class RunSettings {
 public:
  enum class Priority : std::uint8_t { kUser, kScenario };  ///< who wins where both have set one

  RunSettings(const std::vector<Setting>& wanted, Priority priority);
  ~RunSettings();  ///< as it was before
  RunSettings(const RunSettings&) = delete;
  RunSettings& operator=(const RunSettings&) = delete;

 private:
  std::vector<Setting> before_;
  std::vector<std::string> unset_before_;
};

/// Runs `main` in every rank. With `bridge` they reach the network through Portals on SeaStars, each as a
/// process of that kind, otherwise by the fabric itself. Answers a line that says what went wrong; empty if
/// nothing did.
std::string run_ranks(sim::Simulation& simulation, sim::JobOptions options,
                      std::optional<portals3::seastar::BridgeKind> bridge,
                      const std::function<int(RankId)>& main);

}  // namespace aqueduct::scenarios
