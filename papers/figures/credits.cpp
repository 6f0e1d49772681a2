#include "credits.hpp"

#include <fmt/format.h>

#include <limits>

#include "papers/conduit/portals/settings.hpp"
#include "papers/scenarios/neighbours.hpp"
#include "tools/common/machines.hpp"
#include "tools/scenarios/rank_run.hpp"

namespace aqueduct::figures {
namespace {

using scenarios::NeighbourFigures;
using scenarios::RunSettings;
using scenarios::Setting;

constexpr std::size_t kSegmentBytes = 64 << 10;  // the scenario needs next to none
constexpr double kLeastThroughput = 0.9, kMostMemory = 0.1;

std::vector<Setting> generous() {
  const auto most = conduit::portals::PortalsSettings::from_environment().max_credits_per_peer;
  return {{"GASNET_PORTAL_DYNAMIC_CREDITS", "0"},
          {"GASNET_PORTAL_CRED_PER_NODE", std::to_string(most)},
          {"GASNET_PORTAL_BANKED_CREDITS", "0"}};
}

/// Returns an error line; empty if nothing went wrong.
std::string measure(const sim::NetworkModel& model, const CreditRun& run, std::vector<Setting> settings,
                    NeighbourFigures* figures) {
  settings.push_back({"AQUEDUCT_CONDUIT", "portals"});
  const RunSettings here(settings, RunSettings::Priority::kScenario);
  sim::Setup setup;
  setup.model = &model;
  setup.nodes = run.nodes;
  setup.seed = run.seed;
  sim::Simulation simulation(setup);
  const scenarios::Parameters parameters{.seed = run.seed, .ranks = run.nodes, .rounds = run.rounds};
  scenarios::before_neighbours(parameters);
  const std::string wrong =
      scenarios::run_ranks(simulation, {.max_segment_bytes = kSegmentBytes}, *machines::of_conduit("portals"),
                           "uk", [&](RankId) { return scenarios::neighbours(parameters); });
  *figures = scenarios::neighbour_figures();
  return wrong;
}

std::string row(const char* name, const NeighbourFigures& figures) {
  return fmt::format("{:<16} {:>10.1f} {:>12.1f} {:>16.1f} {:>10} {:>10}\n", name,
                     figures.megabytes_per_second(), figures.later_megabytes_per_second(),
                     static_cast<double>(figures.receive_bytes) / 1e6, figures.counts.stalls,
                     figures.counts.granted);
}

}  // namespace

CreditComparison compare_credits(const sim::NetworkModel& model, const CreditRun& run,
                                 const std::function<void(const std::string&)>& report) {
  CreditComparison found;
  NeighbourFigures generous_figures, dynamic_figures;
  report("run 1 of 2, static credits");
  found.failure = measure(model, run, generous(), &generous_figures);
  if (found.failure.empty()) {
    report("run 2 of 2, dynamic credits");
    found.failure = measure(model, run, {}, &dynamic_figures);
  }
  if (!found.failure.empty()) return found;

  const double whole = dynamic_figures.megabytes_per_second() / generous_figures.megabytes_per_second();
  const double later =
      dynamic_figures.later_megabytes_per_second() / generous_figures.later_megabytes_per_second();
  const double memory = static_cast<double>(dynamic_figures.receive_bytes) /
                        static_cast<double>(generous_figures.receive_bytes);
  found.table = fmt::format("{:<16} {:>10} {:>12} {:>16} {:>10} {:>10}\n{:<16} {:>10} {:>12} {:>16}\n",
                            "credits", "MB/s", "second half", "receive memory", "stalls", "granted", "",
                            "a node", "MB/s", "MB a node");
  found.table += row("static, generous", generous_figures) + row("dynamic", dynamic_figures);
  found.table += fmt::format("{:<16} {:>10.3f} {:>12.3f} {:>16.3f}\n", "ratio", whole, later, memory);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  found.criteria.push_back({.what = "dynamic to generous static: throughput in the second half",
                            .unit = "",
                            .stated = "at least 90 %",
                            .value = later,
                            .least = kLeastThroughput,
                            .most = kNone});
  found.criteria.push_back({.what = "dynamic to generous static: receive memory",
                            .unit = "",
                            .stated = "at most a tenth",
                            .value = memory,
                            .least = -kNone,
                            .most = kMostMemory});
  return found;
}

}  // namespace aqueduct::figures
