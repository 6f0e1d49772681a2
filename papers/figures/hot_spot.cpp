#include "hot_spot.hpp"

#include <fmt/format.h>

#include "tools/scenarios/hot_spot.hpp"

namespace aqueduct::figures {
namespace {

constexpr fabric::NodeId kNodes = 512;  // 8 x 8 x 8 on a torus
constexpr std::uint64_t kSeed = 1;

double microseconds(sim::Time time) { return static_cast<double>(time) / sim::kMicrosecond; }

Found measure_hot_spot(const PaperMachine& machine, const Advance& advance) {
  advance(0);
  sim::Simulation simulation({.model = &machine.model, .nodes = kNodes, .seed = kSeed});
  const auto finish = scenarios::hot_spot(simulation, {.seed = kSeed, .ranks = kNodes});
  simulation.run();
  finish();
  advance(1);
  const scenarios::HotSpotFigures& found = scenarios::hot_spot_figures();

  Curve bystanders{
      .system = System::kBystanders, .name = "to other nodes, mean of all senders", .points = {}};
  for (std::size_t i = 0; i < found.by_window.size(); ++i)
    bystanders.points.push_back(
        {microseconds(found.window) * (static_cast<double>(i) + 0.5), found.by_window[i]});
  Chart chart{.title = fmt::format("Bystanders of a hot spot on a {}", simulation.topology().describe()),
              .x = {.label = "time (µs)"},
              .y = {.label = "throughput of a sender (MB/s)"},
              .curves = {bystanders}};
  chart.guides = {{.vertical = true,
                   .at = microseconds(found.hot_from),
                   .to = microseconds(found.hot_until),
                   .text = fmt::format("one message in {} to one node", scenarios::kHotEvery)},
                  {.vertical = true, .at = microseconds(found.drained), .text = "it has taken them all"},
                  {.at = found.by_hand, .text = fmt::format("by hand: {:.1f}", found.by_hand)}};
  Found result;
  result.figures.push_back(
      {.id = "hot-spot",
       .chart = chart,
       .text = fmt::format(
           "While one of {} nodes gets more than it can take, the buffers on the ways to it are full, and "
           "whoever passes there waits too, wherever it goes. {} messages were on their way to the hot "
           "node when nobody sent there any more.",
           kNodes, found.late)});
  constexpr double kPercent = 10;
  result.criteria.push_back(within("throughput of bystanders while one node is hot", "MB/s", found.during,
                                   found.by_hand, kPercent));
  result.criteria.push_back(within("time until the hot node has taken what was late", "us",
                                   microseconds(found.drained - found.hot_until),
                                   microseconds(found.late_by_hand), kPercent));
  result.criteria.push_back(
      within("throughput of bystanders afterwards", "MB/s", found.after, found.before, kPercent));
  return result;
}

}  // namespace

Study hot_spot_study() {
  return {
      .name = "hot-spot",
      .summary = "Tree saturation: what one node that all send to does to the others",
      .network = "torus",
      .title = "A hot spot, and who else stands still",
      .introduction =
          {"All nodes send messages of 1 KiB to each other at a fifth of what their gates can do. For "
           "4 ms every twentieth message of each goes to one node, five times what it can take.",
           "By hand: while the hot node takes one message, its senders get rid of nineteen others "
           "between them, because each keeps its own in order."},
      .fitting = "Nothing is fitted: the network has round numbers, and the values are calculations by hand.",
      .measure = measure_hot_spot,
      .needs_portals = false,
      .mechanisms = {{.name = "unlimited-credits",
                      .summary = "links and interfaces hold any amount, so nothing blocks",
                      .overrides = {"link.buffer=65536", "ejection.room=1024MiB"}},
                     {.name = "no-congestion",
                      .summary = "links as fast as anybody may wish",
                      .overrides = {"link.bandwidth=1000GB/s"}}}};
}

}  // namespace aqueduct::figures
