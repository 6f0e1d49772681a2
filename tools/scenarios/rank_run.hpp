// Runs ranks on a simulated network for the tool.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios.hpp"
#include "sim/simulated_job.hpp"

namespace aqueduct::scenarios {

/// Sets variables of the environment for one run.
class RunSettings {
 public:
  enum class Priority : std::uint8_t {
    kUser,
    kScenario
  };  ///< whose value is used if both have set a variable

  RunSettings(const std::vector<Setting>& wanted, Priority priority);
  ~RunSettings();  ///< restores the environment
  RunSettings(const RunSettings&) = delete;
  RunSettings& operator=(const RunSettings&) = delete;

 private:
  std::vector<Setting> before_;
  std::vector<std::string> unset_before_;
};

/// Runs `main` in every rank on a machine of that kind; ranks reach its interfaces by `access` (one of the
/// kind's, or empty). Returns an error line; empty if nothing went wrong.
std::string run_ranks(sim::Simulation& simulation, sim::JobOptions options, const sim::MachineKind& kind,
                      std::string_view access, const std::function<int(RankId)>& main);

}  // namespace aqueduct::scenarios
