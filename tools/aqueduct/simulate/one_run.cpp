#include "simulate/one_run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>

#include "job/place/start_settings.hpp"
#include "sim/fault_places.hpp"
#include "sim/network.hpp"
#include "sim/placement.hpp"
#include "sim/process/debugger.hpp"
#include "simulate/failure.hpp"
#include "tools/common/output_file.hpp"
#include "tools/common/progress.hpp"
#include "tools/replay/scenario.hpp"
#include "tools/scenarios/rank_run.hpp"

namespace aqueduct::simulate {

namespace {

/// The size of the page tables of this process, which is large if memory is sparse.
long page_table_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "VmPTE:" && status >> kib) return kib;
  }
  return 0;
}

/// The load of each link as comma-separated values, without links that carried nothing.
std::string link_loads(Simulation& simulation) {
  std::string text = "link,name,from_router,to_router,packets,busy_ns,busy_share\n";
  const std::vector<Link>& links = simulation.network().switching().links();
  const auto end = static_cast<double>(std::max<Time>(simulation.engine().now(), 1));
  for (LinkId link = 0; link < links.size(); ++link) {
    const Link& it = links[link];
    if (it.packets == 0) continue;
    const auto [from, to] = simulation.topology().ends(link);
    text += fmt::format("{},{},{},{},{},{},{:.4f}\n", link, simulation.topology().describe(link), from, to,
                        it.packets, it.busy / kNanosecond, static_cast<double>(it.busy) / end);
  }
  return text;
}

/// Returns a line that says what went wrong; empty if nothing did.
std::string run_ranks(Simulation& simulation, const SimOptions& options, const Subject& subject,
                      const scenarios::Parameters& parameters, Totals& totals) {
  JobOptions job_options = job_options_of(options);
  // What the audit does is no load of the job's.
  if (!options.links.empty()) job_options.at_end = [&] { totals.links = link_loads(simulation); };
  std::optional<process::Processes> processes;
  if (subject.executable) {
    processes.emplace(*subject.executable,
                      process::Settings{subject.words, options.tag.value_or(job::tag_from_environment()),
                                        options.patience});
    job_options.surroundings = [&](RankId rank) { return &processes->of(rank).main_thread(); };
  }
  const std::function<int(RankId)> main = main_of(subject, parameters, processes ? &*processes : nullptr);
  std::string wrong =
      scenarios::run_ranks(simulation, job_options, machine_of(options), options.bridge, [&](RankId rank) {
        const int code = main(rank);
        // Read while the ranks' memory still exists.
        if (rank == 0) totals.page_table_kib = std::max(totals.page_table_kib, page_table_kib());
        return code;
      });
  if (processes) {
    processes->finish();
    if (!wrong.empty()) aqueduct_debug_stop();
  }
  return wrong;
}

/// The memory per rank, without what the command used before it started any.
std::string memory_per_rank(const Totals& totals, long peak_kib) {
  if (totals.ranks == 0) return "";
  const auto bytes = static_cast<double>(std::max(peak_kib - totals.kib_before, 0l)) * 1024 / totals.ranks;
  if (totals.ranks == 1) return fmt::format(" ({:.1f} KiB for the rank)", bytes / 1024);
  return fmt::format(" ({:.1f} KiB for each of {} ranks, {:.1f} bytes for each of a rank's peers)",
                     bytes / 1024, totals.ranks, bytes / (totals.ranks - 1));
}

}  // namespace

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

Start prepare(const NetworkModel& model, const SimOptions& options, const Subject& subject,
              std::uint64_t seed) {
  Start start{.setup = {}, .parameters = options.parameters};
  Setup& setup = start.setup;
  setup.model = &model;
  setup.nodes = options.nodes;
  if (!options.dimensions.empty()) setup.dimensions = parse_dimensions(options.dimensions);
  setup.ports_per_node = options.ranks_per_node;
  setup.seed = seed;
  setup.every_packet = options.every_packet;
  setup.stack_bytes = stack_bytes_of(options);
  std::string error;
  if (!setup.faults.add(options.faults     ? *options.faults
                        : subject.scenario ? subject.scenario->faults
                                           : "",
                        &error)) {
    throw CLI::ValidationError("--faults: " + error);
  }
  const Topology topology(model.shape, setup.nodes, setup.dimensions ? &*setup.dimensions : nullptr);
  if (const std::string wrong = misfit(setup.faults, topology, model); !wrong.empty())
    throw CLI::ValidationError("--faults: " + wrong);
  auto placement = place_ranks(options.placement, setup.nodes, setup.ports_per_node, seed, &error);
  if (!placement) throw CLI::ValidationError("--placement: " + error);
  setup.placement = std::move(*placement);
  start.has_ranks = !subject.scenario || subject.scenario->rank_main;
  setup.reports_wait = start.has_ranks && machine_of(options).reports_wait;
  setup.trace_bytes = !start.has_ranks;
  start.parameters.seed = seed;
  start.parameters.ranks = setup.placement.empty() ? setup.nodes * setup.ports_per_node
                                                   : static_cast<std::uint32_t>(setup.placement.size());
  return start;
}

void print_heading(const NetworkModel& model, const SimOptions& options, const Setup& setup,
                   const Topology& topology, const std::string& seeds) {
  fmt::print("network       {} ({}), {} nodes{}, {}\n", model.name, topology.describe(), setup.nodes,
             setup.ports_per_node == 1 ? "" : fmt::format(" of {} ranks", setup.ports_per_node), seeds);
  fmt::print("made with     {}\n", origin_of(options, model));
}

void run_once(const NetworkModel& model, const SimOptions& options, const Subject& subject,
              std::uint64_t seed, Totals& totals, bool print) {
  const auto [setup, parameters, has_ranks] = prepare(model, options, subject, seed);
  // Only the user's settings, before a scenario adds those that it chooses by the seed.
  now_runs(options, model, setup, subject);
  const bool prepares = subject.scenario && subject.scenario->before_run;
  const scenarios::RunSettings settings(
      prepares ? subject.scenario->before_run(parameters) : std::vector<scenarios::Setting>{},
      scenarios::RunSettings::Priority::kUser);

  if (has_ranks) totals.ranks = parameters.ranks;
  if (!options.replay.empty() && parameters.ranks != replay::ranks())
    throw CLI::ValidationError(
        fmt::format("--replay: it has {} ranks, and there are {} here: leave --nodes out, or choose --nodes, "
                    "--ranks-per-node and --placement for {} ranks",
                    replay::ranks(), parameters.ranks, replay::ranks()));
  const auto start = std::chrono::steady_clock::now();
  Simulation simulation(setup);
  if (has_ranks) {
    const std::string wrong = run_ranks(simulation, options, subject, parameters, totals);
    if (!wrong.empty()) fail(wrong.c_str());
  } else {
    const std::function<void()> check = subject.scenario->start_ports(simulation, parameters);
    simulation.run();
    check();
  }
  totals.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  totals.events += simulation.engine().events();
  totals.messages += simulation.traffic().messages;
  totals.payload_bytes += simulation.traffic().payload_bytes;
  totals.tries += simulation.traffic().tries;
  totals.virtual_time += simulation.engine().now();
  totals.trace_hash = simulation.engine().trace().hash();
  totals.hash = mix(totals.hash + totals.trace_hash);
  for (std::size_t i = 0; i < totals.probes.size(); ++i) {
    totals.probes[i] += simulation.faults().count(static_cast<FaultProbe>(i));
  }
  if (!options.links.empty()) {
    if (const auto complaint =
            output_file::write(options.links, has_ranks ? totals.links : link_loads(simulation)))
      throw CannotWrite("--links: " + *complaint);
  }
  if (const std::string complaint = write_timeline(false); !complaint.empty())
    throw CannotWrite("--trace: " + complaint);
  if (!print) return;
  Progress::clear();
  totals.hash = totals.trace_hash;
  print_heading(model, options, setup, simulation.topology(), fmt::format("seed {}", seed));
  if (!options.costs) return;
  for (std::uint32_t i = 0; i < model.costs().size(); ++i) {
    const Account& account = simulation.accounts()[CostId{i}];
    fmt::print("cost          {:<24} {:>10} times {:>12}\n", model.costs()[i].name, account.times,
               show(account.total).text);
  }
}

void print_totals(const Totals& totals, std::uint64_t runs, const Subject& subject) {
  if (runs != 1) fmt::print("runs          {}\n", runs);
  fmt::print("virtual time  {}\n", show(totals.virtual_time).text);
  fmt::print("wall time     {:.3f} s\n", totals.seconds);
  fmt::print("events        {} ({:.2f} million per second)\n", totals.events,
             static_cast<double>(totals.events) / totals.seconds / 1e6);
  fmt::print("messages      {} ({} payload bytes, {} tries)\n", totals.messages, totals.payload_bytes,
             totals.tries);
  for (std::size_t i = 0; i < totals.probes.size(); ++i) {
    if (totals.probes[i] != 0)
      fmt::print("fault         {}: {}\n", name_of(static_cast<FaultProbe>(i)), totals.probes[i]);
  }
  if (subject.scenario && subject.scenario->findings) fmt::print("{}", subject.scenario->findings());
  fmt::print("page tables   {} MiB\n", totals.page_table_kib / 1024);
  fmt::print("peak memory   {} MiB{}\n", peak_kib() / 1024, memory_per_rank(totals, peak_kib()));
  fmt::print("trace hash    {:016x}\n", totals.hash);
}

}  // namespace aqueduct::simulate
