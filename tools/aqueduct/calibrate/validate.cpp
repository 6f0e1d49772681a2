#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

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

/// The median of the batches of a run.
double time_of(const std::vector<scenarios::Sample>& samples) {
  std::vector<double> times;
  for (const scenarios::Sample& sample : samples) {
    if (sample.series == "round") times.push_back(sample.ns);
  }
  if (times.empty()) throw std::runtime_error("a program has not said how long its rounds took");
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

std::string validate(const Request& request, const sim::NetworkModel& model, const std::string& network,
                     const Watch& watch) {
  const Hosts hosts = parse_hosts(request.hosts, "--validate");
  const std::string twin = simulated_twin(request.conduit);
  const unsigned steps = static_cast<unsigned>(std::size(kPrograms) * kRanks.size()) * request.runs;
  unsigned done = 0, within = 0, all = 0;
  std::string text = fmt::format("{}, conduit {} on {}; {} runs of each program, medians of a round, us\n",
                                 request.machine, request.conduit, network, request.runs);
  text += fmt::format("{:<14} {:>5} {:>10} {:>10} {:>10} {:>10} {:>7}\n", "program", "ranks", "measured",
                      "least", "most", "simulated", "ratio");
  for (const Program& program : kPrograms) {
    for (const unsigned ranks : kRanks) {
      const scenarios::Parameters parameters{.seed = 1, .rounds = program.rounds, .bytes = program.bytes};
      std::vector<double> measured;
      for (unsigned run = 0; run < request.runs; ++run) {
        watch(fmt::format("{} on {} ranks", program.scenario, ranks), static_cast<double>(done++) / steps);
        measured.push_back(time_of(run_live(hosts, {.ranks = ranks,
                                                    .conduit = request.conduit,
                                                    .scenario = program.scenario,
                                                    .parameters = parameters})));
      }
      std::ranges::sort(measured);
      const double median = measured[measured.size() / 2];
      const unsigned nodes = hosts.is_pretended || hosts.network ? ranks : std::min(ranks, hosts.count);
      const double simulated =
          time_of(run_simulated(model, twin, *scenarios::find(program.scenario), parameters, ranks, nodes));
      const double ratio = simulated / median;
      ++all;
      within += std::abs(ratio - 1) <= kTarget ? 1 : 0;
      constexpr double kMicro = 1e3;
      text += fmt::format("{:<14} {:>5} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>7.2f}\n", program.scenario,
                          ranks, median / kMicro, measured.front() / kMicro, measured.back() / kMicro,
                          simulated / kMicro, ratio);
    }
  }
  text += fmt::format("Simulated over measured is within 15 % in {} of {}.\n", within, all);
  if (hosts.is_pretended && kRanks.back() > request.cores)
    text += fmt::format("Ranks share {} cores from {} ranks on, so these times are mostly those of turns.\n",
                        request.cores, *std::ranges::upper_bound(kRanks, request.cores));
  return text;
}

}  // namespace aqueduct::calibrate
