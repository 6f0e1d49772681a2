#include "simulated_runs.hpp"

#include <stdexcept>
#include <utility>

#include "tools/common/machines.hpp"
#include "tools/scenarios/rank_run.hpp"

namespace aqueduct::calibrate {

using namespace sim;

std::vector<scenarios::Sample> run_simulated(const NetworkModel& model, const std::string& conduit,
                                             const scenarios::Scenario& scenario,
                                             scenarios::Parameters parameters, unsigned ranks,
                                             unsigned nodes) {
  constexpr Time kTimeLimit = 1000 * kSecond;
  constexpr std::size_t kSegmentBytes = std::size_t{4} << 20;
  const scenarios::RunSettings conduit_setting({{"AQUEDUCT_CONDUIT", conduit}},
                                               scenarios::RunSettings::Priority::kScenario);
  parameters.ranks = ranks;
  if (scenario.before_run) scenario.before_run(parameters);
  Setup setup;
  setup.model = &model;
  setup.nodes = nodes;
  if (ranks != nodes) {
    for (unsigned rank = 0; rank < ranks; ++rank)
      setup.placement.push_back(static_cast<fabric::NodeId>(std::uint64_t{rank} * nodes / ranks));
  }
  setup.reports_wait = true;
  scenarios::samples().clear();
  Simulation simulation(setup);
  const JobOptions options{.max_segment_bytes = kSegmentBytes, .time_limit = kTimeLimit};
  const std::string wrong = scenarios::run_ranks(simulation, options, kFabricMachine, "",
                                                 [&](RankId) { return scenario.rank_main(parameters); });
  if (!wrong.empty()) throw std::runtime_error(wrong.substr(0, wrong.find('\n')));
  return std::exchange(scenarios::samples(), {});
}

}  // namespace aqueduct::calibrate
