#include "rank_run.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "sim/units.hpp"

namespace aqueduct::scenarios {

using namespace sim;

RunSettings::RunSettings(const std::vector<Setting>& wanted, Priority priority) {
  for (const auto& [name, value] : wanted) {
    const char* const set = std::getenv(name.c_str());
    if (set && priority == Priority::kUser) continue;
    if (set) {
      before_.push_back({name, set});
    } else {
      unset_before_.push_back(name);
    }
    ::setenv(name.c_str(), value.c_str(), 1);
  }
}

RunSettings::~RunSettings() {
  for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  for (const std::string& name : unset_before_) ::unsetenv(name.c_str());
}

std::string run_ranks(Simulation& simulation, JobOptions options, const MachineKind& kind,
                      std::string_view access, const std::function<int(RankId)>& main) {
  const std::unique_ptr<Machine> machine = kind.build(simulation, access);
  options.machine = machine.get();
  SimulatedJob job(simulation, options);
  const JobResult result = job.run(main);
  if (result.ok()) return "";
  switch (result.kind) {
    case JobResult::Kind::kStuck:
      return fmt::format(
          "*** STUCK: {}nothing will happen any more, and ranks still wait:\n{}",
          result.rank != kNoRank ? fmt::format("rank {} was lost with its node, ", result.rank) : "",
          result.stuck);
    case JobResult::Kind::kTimeLimit:
      return fmt::format("*** TOO LONG: not over after {} of virtual time:\n{}",
                         show(options.time_limit).text, result.stuck);
    case JobResult::Kind::kLost:
      return fmt::format("*** rank {} was lost with its node, and no rank that was left has noticed",
                         result.rank);
    case JobResult::Kind::kHeld:
      return "*** HELD after the end of the job: " + result.held;
    default:
      return fmt::format("*** rank {} left with code {}", result.rank, result.code);
  }
}

}  // namespace aqueduct::scenarios
