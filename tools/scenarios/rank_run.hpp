// How the tool runs ranks on a simulated network.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

/// Runs `main` in every rank on a machine of that kind; ranks reach its interfaces by `access` (one of the
/// kind's, or empty). Answers a line that says what went wrong; empty if nothing did.
std::string run_ranks(sim::Simulation& simulation, sim::JobOptions options, const sim::MachineKind& kind,
                      std::string_view access, const std::function<int(RankId)>& main);

}  // namespace aqueduct::scenarios
