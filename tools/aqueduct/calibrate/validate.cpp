#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "calibrate.hpp"
#include "hosts.hpp"
#include "simulated_runs.hpp"

namespace aqueduct::calibrate {
namespace {

constexpr double kTarget = 0.15;
constexpr std::array<unsigned, 3> kRanks = {2, 4, 8};

/// A program, and how much of it: some tens of milliseconds.
struct Program {
  const char* scenario;
  unsigned rounds;
  std::size_t bytes;  // 0: it takes none
};
constexpr Program kPrograms[] = {{"barriers", 4000, 0},
                                 {"allreduce", 2000, 0},
                                 {"all-to-all", 1000, 1024},
                                 {"stencil", 2000, 1024},
                                 {"random-access", 16000, 65536}};

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The median of the batches of a run.
double time_of(const std::vector<scenarios::Sample>& samples) {
  std::vector<double> times;
  for (const scenarios::Sample& sample : samples) {
    if (sample.series == "round") times.push_back(sample.ns);
  }
  if (times.empty()) throw std::runtime_error("a program has not said how long its rounds took");
  return median_of(std::move(times));
}

/// How many ratios there are, and how many of them are near one.
struct Judged {
  unsigned all = 0, within = 0;
  void add(double ratio) {
    ++all;
    within += std::abs(ratio - 1) <= kTarget ? 1 : 0;
  }
};

}  // namespace

std::string validate(const Request& request, const sim::NetworkModel& model, const std::string& network,
                     const Watch& watch) {
  const Hosts hosts = parse_hosts(request.hosts, "--validate");
  const std::string twin = simulated_twin(request.conduit);
  struct Row {
    const Program* program;
    unsigned ranks;
    scenarios::Parameters parameters;
    std::vector<double> live{};  // in the order of time
  };
  std::vector<Row> rows;
  for (const Program& program : kPrograms) {
    for (const unsigned ranks : kRanks)
      rows.push_back({&program, ranks, {.seed = 1, .rounds = program.rounds, .bytes = program.bytes}});
  }
  // All programs in turn, so that what a machine does in some of the minutes is in all rows.
  const auto steps = static_cast<double>(rows.size() * request.runs);
  unsigned done = 0;
  for (unsigned run = 0; run < request.runs; ++run) {
    for (Row& row : rows) {
      watch(fmt::format("{} on {} ranks", row.program->scenario, row.ranks), done++ / steps);
      row.live.push_back(time_of(run_live(hosts, {.ranks = row.ranks,
                                                  .conduit = request.conduit,
                                                  .scenario = row.program->scenario,
                                                  .parameters = row.parameters})));
    }
  }
  std::string text = fmt::format("{}, conduit {} on {}; {} runs of each program, medians of a round, us\n",
                                 request.machine, request.conduit, network, request.runs);
  text += fmt::format("{:<14} {:>5} {:>10} {:>10} {:>10} {:>7} {:>10} {:>7}\n", "program", "ranks",
                      "measured", "least", "most", "again", "simulated", "ratio");
  Judged simulated_ones, live_again, live_ones;
  for (const Row& row : rows) {
    const auto [least, most] = std::ranges::minmax(row.live);
    const double measured = median_of(row.live);
    const unsigned nodes = hosts.is_pretended || hosts.network ? row.ranks : std::min(row.ranks, hosts.count);
    const double simulated = time_of(run_simulated(model, twin, *scenarios::find(row.program->scenario),
                                                   row.parameters, row.ranks, nodes));
    const std::size_t half = row.live.size() / 2;
    std::string again = "-";
    if (half != 0) {
      const double ratio =
          median_of({row.live.begin() + static_cast<std::ptrdiff_t>(half), row.live.end()}) /
          median_of({row.live.begin(), row.live.begin() + static_cast<std::ptrdiff_t>(half)});
      live_again.add(ratio);
      again = fmt::format("{:.2f}", ratio);
    }
    simulated_ones.add(simulated / measured);
    for (const double live : row.live) live_ones.add(live / measured);
    constexpr double kMicro = 1e3;
    text += fmt::format("{:<14} {:>5} {:>10.2f} {:>10.2f} {:>10.2f} {:>7} {:>10.2f} {:>7.2f}\n",
                        row.program->scenario, row.ranks, measured / kMicro, least / kMicro, most / kMicro,
                        again, simulated / kMicro, simulated / measured);
  }
  text += fmt::format("Simulated over measured is within 15 % in {} of {}.\n", simulated_ones.within,
                      simulated_ones.all);
  if (live_again.all != 0)
    text += fmt::format(
        "What is measured is no better than this: the later half of the live runs over the earlier one "
        "(again) is within 15 % in {} of {}, and {} of {} live runs are within 15 % of the median of their "
        "program.\n",
        live_again.within, live_again.all, live_ones.within, live_ones.all);
  if (hosts.is_pretended && kRanks.back() > request.cores)
    text += fmt::format("Ranks share {} cores from {} ranks on, so these times are mostly those of turns.\n",
                        request.cores, *std::ranges::upper_bound(kRanks, request.cores));
  return text;
}

}  // namespace aqueduct::calibrate
