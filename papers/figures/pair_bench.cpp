#include "pair_bench.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/types.hpp"
#include "papers/bench/portals/side.hpp"
#include "sim/simulated_job.hpp"
#include "tools/common/machines.hpp"
#include "tools/scenarios/rank_run.hpp"

namespace aqueduct::figures {
namespace {

using scenarios::Pattern;

/// Enough operations for rare events (receives posted again, sends settled) to have their share.
constexpr unsigned kWaited = 32;
constexpr unsigned kWaitedLong = 2;
constexpr std::size_t kLong = 64 << 10;
/// Operations of a flood: so many bytes, within bounds.
constexpr std::size_t kFloodBytes = 2 << 20;
constexpr std::size_t kFloodLeast = 6;
constexpr std::size_t kFloodMost = 192;

unsigned count_for(const PairTask& task) {
  if (task.count != 0) return task.count;
  if (task.pattern == Pattern::kPutFlood || task.pattern == Pattern::kMessageFlood) {
    return static_cast<unsigned>(std::clamp(kFloodBytes / task.bytes, kFloodLeast, kFloodMost));
  }
  return task.bytes > kLong ? kWaitedLong : kWaited;
}

void set(const char* variable, const char* value) {
  if (value != nullptr) {
    ::setenv(variable, value, 1);
  } else {
    ::unsetenv(variable);
  }
}

}  // namespace

std::vector<double> measure(const sim::NetworkModel& model, const Carrier& carrier,
                            std::span<const PairTask> tasks,
                            const std::vector<scenarios::Setting>& settings) {
  set("AQUEDUCT_CONDUIT", carrier.conduit);
  set("AQUEDUCT_PORTALS_STAGE", carrier.stage);
  set("AQUEDUCT_LONG_PROTOCOL", carrier.long_protocol);
  const scenarios::RunSettings winning(settings, scenarios::RunSettings::Priority::kScenario);
  const std::size_t largest = std::ranges::max(tasks, {}, &PairTask::bytes).bytes;
  sim::Setup setup;
  setup.model = &model;
  setup.nodes = 2;
  setup.reports_wait = machines::of_conduit(carrier.conduit)->reports_wait;
  sim::Simulation simulation(setup);
  const std::unique_ptr<sim::Machine> machine =
      machines::of_conduit(carrier.conduit)->build(simulation, "uk");
  sim::JobOptions options;
  options.max_segment_bytes = 2 * round_up(largest, kPage);
  options.machine = machine.get();
  sim::SimulatedJob job(simulation, options);
  std::vector<double> found(tasks.size());
  const sim::JobResult result = job.run([&](RankId) {
    scenarios::Pair pair(largest);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const double ns = pair.measure(tasks[i].pattern, tasks[i].bytes, count_for(tasks[i]));
      if (pair.leads()) found[i] = ns;
    }
    return 0;
  });
  if (!result.ok()) {
    throw bench::portals::Failed(std::string("conduit ") + carrier.conduit +
                                 ": the ranks came to a standstill:\n" + result.stuck);
  }
  return found;
}

}  // namespace aqueduct::figures
