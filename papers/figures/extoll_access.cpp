#include "extoll_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "papers/bench/portals/side.hpp"
#include "sim/network.hpp"
#include "tools/common/machines.hpp"
#include "tools/scenarios/random_access.hpp"
#include "tools/scenarios/rank_run.hpp"

namespace aqueduct::figures {
namespace {

using scenarios::RunSettings;
using scenarios::Setting;

constexpr std::size_t kSegmentBytes = 64 << 10;
/// 8 words and 32 updates of each process, which is long compared with a message; a simulation is the same
/// every time.
constexpr std::size_t kTableBytes = 64;
/// UPC: a table in which few updates meet, and fewer of them.
constexpr std::size_t kUpcTableBytes = 4096;
constexpr unsigned kUpcUpdates = 8;

std::vector<Setting> settings_of(const AccessRun& run) {
  std::vector<Setting> settings{{"AQUEDUCT_CONDUIT", run.conduit}, {"GASNET_SUPERNODE_MAXSIZE", "1"}};
  if (run.am) settings.push_back({"AQUEDUCT_EXTOLL_AM", run.am});
  if (run.as_upc) settings.push_back({"AQUEDUCT_REFERENCE", "1"});
  return settings;
}

scenarios::Parameters parameters_of(const AccessRun& run) {
  scenarios::Parameters parameters;
  parameters.seed = 1;
  parameters.ranks = run.processes;
  parameters.bytes = kTableBytes;
  parameters.version = run.version;
  if (run.as_upc) {
    parameters.as_upc = true;
    parameters.version = "get-put";
    parameters.look_ahead = 1;
    parameters.bytes = kUpcTableBytes;
    parameters.rounds = kUpcUpdates;
  }
  return parameters;
}

void collect_loads(sim::Simulation& simulation, Access& access) {
  const auto end = static_cast<double>(simulation.engine().now());
  std::map<std::array<sim::RouterId, 2>, double> busy;
  const std::vector<sim::Link>& links = simulation.network().switching().links();
  for (sim::LinkId link = 0; link < links.size(); ++link) {
    if (links[link].packets == 0) continue;
    const auto [from, to] = simulation.topology().ends(link);
    double& share = busy[{std::min(from, to), std::max(from, to)}];
    share = std::max(share, static_cast<double>(links[link].busy) / end);
  }
  for (const auto& [ends, share] : busy) {
    access.cables.push_back({ends[0], ends[1], share});
    access.busiest = std::max(access.busiest, share);
  }
}

}  // namespace

std::vector<fabric::NodeId> nodes_of_job(unsigned processes, const sim::Topology::Dimensions& mesh) {
  const fabric::NodeId count = std::max(1u, processes / kProcessesPerNode);
  const sim::Topology::Dimensions box = sim::Topology::box_for(count, mesh[2] == 1 ? 2 : 3);
  std::vector<fabric::NodeId> nodes;
  for (std::uint32_t z = 0; z < box[2]; ++z) {
    for (std::uint32_t y = 0; y < box[1]; ++y) {
      for (std::uint32_t x = 0; x < box[0]; ++x) nodes.push_back(x + mesh[0] * (y + mesh[1] * z));
    }
  }
  return nodes;
}

std::string text_of(const AccessRun& run) {
  return fmt::format("{} {} {} {} {}x{}x{} {}", run.conduit, run.am != nullptr ? run.am : "-", run.version,
                     run.processes, run.mesh[0], run.mesh[1], run.mesh[2], run.as_upc);
}

Access run_access(const sim::NetworkModel& model, const AccessRun& run) {
  const RunSettings here(settings_of(run), RunSettings::Priority::kScenario);
  const RunSettings winning(run.settings, RunSettings::Priority::kScenario);
  const std::vector<fabric::NodeId> nodes = nodes_of_job(run.processes, run.mesh);
  sim::Setup setup;
  setup.model = &model;
  setup.nodes = kClusterNodes;
  setup.dimensions = run.mesh;
  setup.seed = 1;
  for (unsigned rank = 0; rank < run.processes; ++rank)
    setup.placement.push_back(nodes[rank / kProcessesPerNode]);
  const sim::MachineKind& kind = *machines::of_conduit(run.conduit);
  setup.reports_wait = kind.reports_wait;
  sim::Simulation simulation(setup);
  const scenarios::Parameters parameters = parameters_of(run);
  scenarios::before_random_access(parameters);
  const std::string wrong =
      scenarios::run_ranks(simulation, {.max_segment_bytes = kSegmentBytes}, kind, "",
                           [&](RankId) { return scenarios::random_access(parameters); });
  if (!wrong.empty()) throw bench::portals::Failed("RandomAccess: " + wrong);
  Access access;
  access.gups = scenarios::random_access_figures().gups();
  access.nodes_used = static_cast<fabric::NodeId>(nodes.size());
  collect_loads(simulation, access);
  return access;
}

}  // namespace aqueduct::figures
