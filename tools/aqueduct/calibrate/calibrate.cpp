#include "calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <stdexcept>

#include "fit.hpp"
#include "hosts.hpp"
#include "network_text.hpp"
#include "simulated_runs.hpp"
#include "tools/common/output_file.hpp"

namespace aqueduct::calibrate {
namespace {

constexpr unsigned kRounds = 50;
constexpr unsigned kCrowdedRounds = 20;
constexpr unsigned kCrowd = 4;                     // ranks of two pairs
constexpr unsigned kBatches = 20;                  // of the scenario peers
constexpr unsigned kLeastMany = 4, kMostMany = 8;  // ranks with a core each
constexpr unsigned kSimulatedRounds = 4;           // each is like the others
constexpr std::size_t kLoopbackDatagram = 65507, kEthernetDatagram = 1472;

/// The figures of loggp and peers on the network of that file and, where ranks share cores, of pairs on one
/// core. `many`: ranks of peers beside two; 0: none.
Figures simulate(const std::string& text, const std::string& conduit, bool shares_cores, unsigned many) {
  const auto samples_of = [&](const char* scenario, unsigned ranks,
                              const std::vector<std::string>& overrides) {
    std::string error;
    const auto model = sim::NetworkModel::parse(text, "the calibrated network", overrides, &error);
    if (!model) throw std::runtime_error(error);
    scenarios::Parameters parameters;
    parameters.rounds = kSimulatedRounds;
    return run_simulated(*model, conduit, *scenarios::find(scenario), parameters, ranks, ranks);
  };
  Figures figures = figures_of(samples_of("loggp", 2, {}));
  add_peers(samples_of("peers", 2, {}), figures);
  if (many != 0) add_peers(samples_of("peers", many, {}), figures);
  if (shares_cores) {
    for (const unsigned ranks : {2u, kCrowd})
      add_crowded(samples_of("pairs", ranks, {"host.cores=1"}), figures);
  }
  return figures;
}

Kernels kernels_of(const std::vector<Sample>& samples) {
  const double small = median_of(samples, "stencil_step", kSmallBlock),
               large = median_of(samples, "stencil_step", kLargeBlock);
  Kernels kernels;
  // The larger block is that of a program; where the smaller one fits into a faster cache it says nothing of
  // it.
  const double most_per_byte = large / kLargeBlock;
  kernels.stencil_per_byte = std::clamp((large - small) / (kLargeBlock - kSmallBlock), 0.0, most_per_byte);
  kernels.stencil_step = large - kernels.stencil_per_byte * kLargeBlock;
  kernels.update = median_of(samples, "update", 1);
  return kernels;
}

/// Several jobs: processes differ by where their memory lies.
std::vector<Sample> run_often(const Hosts& hosts, const LiveJob& job, unsigned runs) {
  std::vector<Sample> all;
  for (unsigned run = 0; run < runs; ++run) {
    const std::vector<Sample> some = run_live(hosts, job);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::string line(const char* what, double machine, double simulated, const char* unit) {
  return fmt::format("  {:<42} {:>10.3f} {:>10.3f}  {}\n", what, machine, simulated, unit);
}

}  // namespace

std::string calibrate(const Request& request, const Watch& watch) {
  const Hosts hosts = parse_hosts(request.hosts, "--calibrate");
  const std::string twin = simulated_twin(request.conduit);
  if (const auto complaint = output_file::try_file(request.file))
    throw std::invalid_argument("--out: " + *complaint);
  const unsigned rounds = request.rounds != 0 ? request.rounds : kRounds;
  LiveJob job{.conduit = request.conduit, .scenario = "loggp", .parameters = {.rounds = rounds}};
  watch("messages", 0);
  const unsigned runs = hosts.network ? 1 : request.runs;  // of the others each would be the same
  Figures machine = figures_of(run_often(hosts, job, runs));
  LiveJob peers = job;
  peers.scenario = "peers";
  peers.parameters.rounds = std::min(rounds, kBatches);
  watch("an exchange", 0.2);
  add_peers(run_often(hosts, peers, runs), machine);
  if (hosts.is_pretended && request.cores >= kLeastMany) {
    peers.ranks = std::min(std::bit_floor(request.cores), kMostMany);
    watch(fmt::format("{} ranks at once", peers.ranks), 0.25);
    add_peers(run_often(hosts, peers, runs), machine);
  }
  if (hosts.is_pretended) {
    LiveJob crowded = job;
    crowded.scenario = "pairs";
    crowded.parameters.rounds = std::min(rounds, kCrowdedRounds);
    crowded.on_one_core = true;
    for (const unsigned ranks : {2u, kCrowd}) {
      watch(fmt::format("{} ranks on one core", ranks), 0.3);
      crowded.ranks = ranks;
      add_crowded(run_often(hosts, crowded, runs), machine);
    }
  }
  watch("work without messages", 0.5);
  job.scenario = "kernels";
  const Kernels kernels = kernels_of(run_live(hosts, job));

  Origin origin{
      .name = std::filesystem::path(request.file).stem().string(),
      .conduit = request.conduit,
      .machine = request.machine,
      .command = fmt::format("aqueduct sim --calibrate {} --conduit {}", request.hosts, request.conduit),
      .rounds = rounds,
      .datagram_bytes = hosts.is_pretended ? kLoopbackDatagram : kEthernetDatagram,
      .cores = request.cores,
      .is_pretended = hosts.is_pretended};
  unsigned done = 0;
  const auto simulated = [&](const Numbers& numbers) {
    watch("the fit", 0.7 + 0.02 * done++);
    const std::string text = network_text(numbers, machine, {}, origin);
    return simulate(text, twin, machine.crowded_half_round_trip.has_value(), machine.many);
  };
  const Fit fitted = fit(machine, simulated);
  const std::string text =
      network_text(fitted.numbers, machine, fitted.simulated, origin) + kernel_lines(kernels);
  if (const auto complaint = output_file::write(request.file, text)) throw std::runtime_error(*complaint);

  const LogGP loggp = loggp_of(machine);
  const Figures& again = fitted.simulated;
  std::string shown = fmt::format(
      "LogGP   L {:.0f} ns, o_send {:.0f} ns, o_receive {:.0f} ns, g {:.0f} ns, G {:.3f} ns per byte\n",
      loggp.latency, loggp.overhead_send, loggp.overhead_receive, loggp.gap, loggp.gap_per_byte);
  shown += fmt::format("  {:<42} {:>10} {:>10}\n", "", "measured", "simulated");
  shown += line("a send", machine.send, again.send, "ns");
  shown += line("a send, by bytes", machine.send_per_byte, again.send_per_byte, "ns per byte");
  shown += line("a receive", machine.receive, again.receive, "ns");
  shown += line("a receive, by bytes", machine.receive_per_byte, again.receive_per_byte, "ns per byte");
  shown += line("half a round trip", machine.half_round_trip, again.half_round_trip, "ns");
  shown +=
      line("a round trip, by bytes", machine.round_trip_per_byte, again.round_trip_per_byte, "ns per byte");
  shown += line("an exchange, both at once", machine.exchange, again.exchange, "ns");
  if (machine.new_exchange)
    shown += line(fmt::format("the same of {} ranks, another each time", machine.many).c_str(),
                  *machine.new_exchange, again.new_exchange.value_or(0), "ns");
  shown += line("receives together, each", machine.receive_together, again.receive_together, "ns");
  shown += line("receives of messages apart, each", machine.receive_apart, again.receive_apart, "ns");
  shown += line("sends in a row, each", machine.send_in_a_row, again.send_in_a_row, "ns");
  shown += line("a message of a flood", machine.flood, again.flood, "ns");
  if (machine.crowded_half_round_trip)
    shown += line("half a round trip of two ranks on one core", *machine.crowded_half_round_trip,
                  again.crowded_half_round_trip.value_or(0), "ns");
  if (machine.more_crowded_half_round_trip)
    shown += line("the same of two pairs on one core", *machine.more_crowded_half_round_trip,
                  again.more_crowded_half_round_trip.value_or(0), "ns");
  return shown + fmt::format("Written to {}.\n", request.file);
}

}  // namespace aqueduct::calibrate
