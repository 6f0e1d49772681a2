// aqueduct sim [options] SCENARIO: runs a scenario, or a program of the user's, on a simulated network.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "base/variables.hpp"
#include "calibrate/calibrate.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "machine.hpp"
#include "sim/faults.hpp"
#include "simulate/addresses.hpp"
#include "simulate/failure.hpp"
#include "simulate/listing.hpp"
#include "simulate/many_seeds.hpp"
#include "simulate/one_run.hpp"
#include "simulate/settings.hpp"
#include "simulate/subject.hpp"
#include "tools/common/arguments.hpp"
#include "tools/common/machines.hpp"
#include "tools/common/networks.hpp"
#include "tools/common/options.hpp"
#include "tools/common/output_file.hpp"
#include "tools/common/progress.hpp"
#include "tools/replay/scenario.hpp"
#include "tools/scenarios/samples.hpp"
#include "tools/scenarios/scenarios.hpp"
#include "trace/timeline.hpp"

namespace {

using namespace aqueduct;
using namespace aqueduct::simulate;

/// Reads what is to be replayed, and chooses what it needs and the user has not said.
void prepare_replay(const CLI::App& sim, SimOptions& options) {
  if (const std::string why = replay::open(options.replay, options.compute); !why.empty())
    throw CLI::ValidationError("--replay: " + why);
  if (sim.count("--nodes") == 0)
    options.nodes = (replay::ranks() + options.ranks_per_node - 1) / options.ranks_per_node;
  if (sim.count("--segment") == 0)
    options.segment = fmt::format("{} B", std::max<std::uint64_t>(replay::segment_bytes(), 1 << 20));
  if (sim.count("--time-limit") == 0) {
    constexpr std::uint64_t kLeastSeconds = 100, kTimesAsLong = 1000;
    options.time_limit =
        fmt::format("{} s", kLeastSeconds + replay::duration_ns() / 1'000'000'000 * kTimesAsLong);
  }
}

/// The first of two replays.
void replay_against(const SimOptions& options, const Subject& subject, std::uint64_t seed,
                    std::uint64_t count) {
  if (count != 1) throw CLI::ValidationError("--against: it is for a single seed");
  std::string error;
  const std::optional<NetworkModel> model = networks::load(options.against, {}, &error);
  if (!model) throw CLI::ValidationError("--against: " + error);
  SimOptions others = options;
  others.network = options.against;
  others.overrides.clear();
  others.links.clear();
  set_failure_sink(fail);
  replay::set_network(options.against);
  Totals totals;
  run_once(*model, others, subject, seed, totals, false);
  replay::keep_for_comparison();
}

/// Takes part in a live job, as the rank that `aqueduct run` or another launcher has started here.
int run_live(const SimOptions& options, const Subject& subject) {
  if (!subject.scenario) {
    Arguments arguments(subject.words);
    return subject.program(arguments.argc(), arguments.argv());
  }
  if (!subject.scenario->rank_main)
    throw CLI::ValidationError(
        fmt::format("--live: {} is a scenario of simulated ports", subject.words.front()));
  if (subject.scenario->is_of_one_process)
    throw CLI::ValidationError(
        fmt::format("--live: {} compares what all ranks hold, which only a simulation can: leave --live and "
                    "the launcher out",
                    subject.words.front()));
  scenarios::Parameters parameters = options.parameters;
  parameters.seed = options.seed;
  const int code = subject.scenario->rank_main(parameters);
  // Only rank 0 has some.
  std::string text;
  for (const scenarios::Sample& sample : scenarios::samples()) text += line_of(sample);
  fmt::print("{}", text);
  std::fflush(stdout);
  scenarios::leave_live_job(code);
}

/// --calibrate, --validate, or one after the other on the network that was just written.
void run_calibration(const SimOptions& options) {
  bench::Parameters parameters;
  const bench::Machine here = bench::describe_machine(parameters);
  calibrate::Request request{.hosts = {},
                             .conduit = options.live_conduit,
                             .file = options.out,
                             .rounds = options.parameters.rounds,
                             .runs = options.runs,
                             .machine = fmt::format("{}, {} cores, {}", here.cpu, here.cores, here.kernel),
                             .cores = here.cores};
  Progress progress("aqueduct sim");
  const auto watch = [&](const std::string& what, double done) {
    progress.stage(what);
    progress.span(done, 1);
  };
  std::string network = options.network;
  try {
    if (!options.calibrate.empty()) {
      request.hosts = options.calibrate;
      const std::string found = calibrate::calibrate(request, watch);
      Progress::clear();
      fmt::print("{}", found);
      network = options.out;
    }
    if (options.validate.empty()) return;
    std::string error;
    const auto model = networks::load(network, options.overrides, &error);
    if (!model) throw std::invalid_argument(error);
    request.hosts = options.validate;
    const std::string table = calibrate::validate(request, *model, network, watch);
    Progress::clear();
    fmt::print("{}", table);
  } catch (const std::runtime_error& failed) {
    throw CannotWrite(failed.what());
  }
}

/// Returns the exit code.
int run_sim(const CLI::App& sim, SimOptions& options, const std::vector<std::string>& words) {
  if (options.list) {
    print_list();
    return 0;
  }
  if (!options.calibrate.empty() || !options.validate.empty()) {
    if (!words.empty()) throw CLI::ValidationError("--calibrate and --validate take no scenario");
    run_calibration(options);
    return 0;
  }
  if (!options.live && !words.empty()) keep_addresses(words.front());
  const Subject subject =
      find_subject(options, words, [&sim](const std::string& word) { return guess_option(sim, word); });
  if (options.live) return run_live(options, subject);
  if (subject.executable && sim.count("--segment") == 0) options.segment = kSegmentOfExecutables;
  if (subject.executable && sim.count("--stack") == 0) options.stack = kStackOfExecutables;
  machine_of(options);
  env::warn_of_unknown_variables();
  for (const char* variable : {"GASNET_TRACEFILE", "GASNET_STATSFILE"}) {
    if (env::name_in_use({variable}) != nullptr)
      warn("environment", "%s is set, but simulations write no trace and no statistics", variable);
  }
  ::setenv("AQUEDUCT_CONDUIT", options.conduit.c_str(), 1);
  check_parameters(options, subject);
  std::string error;
  const std::optional<NetworkModel> model = networks::load(options.network, options.overrides, &error);
  if (!model) throw CLI::ValidationError(error);
  const Seeds seeds = parse_seeds(options);
  const auto [first, count] = seeds;
  const bool side_by_side = is_side_by_side(options);
  if (!options.trace.empty()) {
    if (count != 1) throw CLI::ValidationError("--trace: a timeline is one of a single seed");
    if (const auto complaint = output_file::try_file(options.trace))
      throw CLI::ValidationError("--trace: " + *complaint);
  }
  if (!options.against.empty()) replay_against(options, subject, first, count);
  if (!options.trace.empty()) {
    trace::timeline::watch_simulation();
    set_timeline_file(options.trace);
  }
  set_failure_sink(fail);
  if (!options.replay.empty()) replay::set_network(network_in_words(options));
  if (side_by_side) return run_seeds_side_by_side(*model, options, subject, seeds) ? 0 : 1;
  Totals totals;
  totals.kib_before = peak_kib();
  {
    Progress progress("aqueduct sim");
    for (std::uint64_t done = 0; done < count; ++done) {
      const auto part = [all = count](std::uint64_t runs) {
        return static_cast<double>(runs) / static_cast<double>(all);
      };
      progress.stage(count == 1 ? fmt::format("seed {}", first)
                                : fmt::format("seed {}, {} of {} done", first + done, done, count));
      progress.span(part(done), part(done + 1));
      run_once(*model, options, subject, first + done, totals, count == 1);
    }
  }
  print_totals(totals, count, subject);
  return 0;
}
/// Choices whose values are the words themselves.
std::vector<std::pair<std::string, std::string>> words(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(names.size());
  for (const std::string& name : names) pairs.emplace_back(name, name);
  return pairs;
}

}  // namespace

void add_sim_command(CLI::App& app, int& exit_code) {
  CLI::App* sim = app.add_subcommand("sim", "Run a scenario on a simulated network: sim [OPTIONS] SCENARIO");
  sim->formatter(std::make_shared<UsageFormatter>("SCENARIO [ARGS...]"));
  std::string faults;
  for (const FaultWord& word : fault_words())
    faults += fmt::format("\n  {:<24} {}", word.example, word.meaning);
  sim->footer(
      "SCENARIO is one of --list, or a program with its arguments: an executable, or a shared object that "
      "defines aqueduct_sim_main() (see aqueduct/sim.h).\nThe same options and seed give the same trace "
      "hash, everywhere. Words of "
      "--faults, "
      "with spaces between:" +
      faults);
  auto options = std::make_shared<SimOptions>();
  completion::offer(
      sim->add_option("--network", options->network, "A network by name, or a file")
          ->type_name("NAME")
          ->capture_default_str(),
      [] { return completion::plain_words(networks::names()); }, completion::Beyond::kFiles);
  options::add_number(*sim, "--nodes", options->nodes, 1, 1u << 20, "Number of nodes, at most 1048576")
      ->default_str("8");
  sim->add_option("--dimensions", options->dimensions,
                  "Of a torus or mesh, such as 8x8x16; else the most cube-like")
      ->type_name("XxYxZ");
  options::add_number(*sim, "--ranks-per-node", options->ranks_per_node, 1, 64,
                      "Ranks of a node, which share its memory and its interface, at most 64")
      ->default_str("1");
  sim->add_option("--placement", options->placement,
                  "Which node each rank is on: packed, cyclic, strided:S, random or file:PATH")
      ->type_name("HOW")
      ->capture_default_str();
  options::add_number(*sim, "--seed", options->seed, 0, UINT64_MAX, "What everything random comes from")
      ->default_str("1");
  sim->add_option("--seeds", options->seeds, "Many runs: so many seeds from FIRST (or --seed) on")
      ->type_name("[FIRST:]COUNT");
  sim->add_flag("--statistics", options->statistics,
                "Run the seeds side by side; show mean and 95 % interval of every figure that they print");
  sim->add_flag("--stop-at-failure", options->stop_at_failure,
                "Run the seeds side by side until one fails; say which is the first");
  options::add_number(*sim, "--jobs", options->jobs, 1, 1024,
                      "How many seeds run side by side at once, if not one on each core");
  sim->add_option("--json", options->json, "Store the --statistics here")->type_name("FILE");
  completion::offer(sim->add_option("--faults", options->faults, "What goes wrong, in words; '' for nothing")
                        ->type_name("WORDS"),
                    [] {
                      std::vector<completion::Candidate> candidates;
                      for (const FaultWord& word : fault_words())
                        candidates.push_back({std::string(word.name) + "=", word.example});
                      return candidates;
                    });
  sim->add_option("--set", options->overrides, "Replace a number of the network, such as link.hop=60ns")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  options::add_number(*sim, "--rounds", options->parameters.rounds, 1, UINT32_MAX,
                      "How often a scenario does what it does, if not as it likes");
  options::add_number(*sim, "--bytes", options->parameters.bytes, 1, std::uint64_t{1} << 40,
                      "How much a scenario sends at once, if not as it likes");
  sim->add_option("--version", options->parameters.version, "Which one of random-access; --list shows them")
      ->type_name("VERSION");
  options::add_number(*sim, "--look-ahead", options->parameters.look_ahead, 1, 1024,
                      "Updates that a rank of random-access may hold, at most 1024");
  completion::offer(
      sim->add_option_function<std::string>(
             "--conduit",
             [options](const std::string& name) { options->conduit = options->live_conduit = name; },
             "What carries the ranks' messages; of --calibrate and --validate any network, or udp")
          ->type_name(fmt::format("{}", fmt::join(machines::conduits(), "|")))
          ->default_str("wire"),
      [] { return completion::plain_words(machines::conduits()); });
  options::add_choice<std::string>(*sim, "--bridge", options->bridge, words(machines::accesses()),
                                   "How ranks come to the interface: to Portals qk (Catamount, the default), "
                                   "or uk (Linux, where memory is "
                                   "pinned)");
  sim->add_option("--segment", options->segment,
                  fmt::format("Largest segment of a rank, of an executable {} unless told otherwise",
                              kSegmentOfExecutables))
      ->type_name("BYTES")
      ->capture_default_str();
  sim->add_option(
         "--stack", options->stack,
         fmt::format("Stack of a rank, of an executable {} unless told otherwise", kStackOfExecutables))
      ->type_name("BYTES")
      ->capture_default_str();
  sim->add_option("--time-limit", options->time_limit, "Virtual time after which a job has failed")
      ->type_name("TIME")
      ->capture_default_str();
  sim->add_option("--links", options->links, "Write here what each link has carried, as CSV")
      ->type_name("FILE");
  sim->add_option("--trace", options->trace,
                  "Write a timeline of the ranks, which Perfetto shows (ui.perfetto.dev)")
      ->type_name("FILE");
  completion::offer(
      sim->add_option("--replay", options->replay,
                      "Replay a timeline (run --trace), or a directory of MPI traces, in place of a scenario")
          ->type_name("FILE"),
      [] { return std::vector<completion::Candidate>{}; }, completion::Beyond::kFiles);
  sim->add_option_function<std::string>(
         "--compute",
         [options](const std::string& text) {
           if (text.find_first_not_of("0123456789.eE+-") != std::string::npos) {
             options->computing = text;
             (void)compute_model_of(*options);
           } else {
             if (const std::string wrong = check_scale(text); !wrong.empty())
               throw CLI::ValidationError("--compute: " + wrong);
             options->compute = std::stod(text);
           }
         },
         "What computing between calls of an executable takes: free (the default), fixed:NS before each "
         "call, or "
         "measured[:SCALE], the real time. Of a replay, a scale for what the job took; 0: nothing")
      ->type_name("MODEL");
  completion::offer(
      sim->add_option("--against", options->against, "Replay on this network as well, as its file has it")
          ->type_name("NAME"),
      [] { return completion::plain_words(networks::names()); }, completion::Beyond::kFiles);
  sim->add_flag(
      "--every-packet", options->every_packet,
      "Simulate packets one by one also where their way is clear: slower; times are the same where nothing "
      "has to wait, and under load they differ by a few percent, at most 24 measured");
  sim->add_flag_callback(
      "--tag", [options] { options->tag = true; },
      "Start every line of output of an executable with its rank");
  sim->add_option("--shared", options->shared,
                  "A library of which all ranks of an executable use the same copy, such as libfoo.so.1")
      ->type_name("LIBRARY")
      ->allow_extra_args(false);
  sim->add_option_function<std::string>(
         "--patience",
         [options](const std::string& text) {
           options->patience = arguments::seconds("--patience", text);
           if (options->patience < 0.01) throw std::invalid_argument("--patience: at least 0.01 s");
         },
         "Seconds that a rank of an executable may compute without a call before it is named with its stack; "
         "after ten times as long that is a failure (default: 10)")
      ->type_name("SECONDS");
  sim->add_flag("--costs", options->costs, "Show what hosts spent their time on, by name");
  sim->add_flag("--live", options->live,
                "Take part in a live job instead: aqueduct run -n 4 aqueduct sim --live SCENARIO");
  sim->add_option("--calibrate", options->calibrate,
                  "Measure the live network of --conduit between two hosts, a,b or 1+1 on this machine, and "
                  "write its file")
      ->type_name("HOSTS");
  sim->add_option("--out", options->out, "The network file that --calibrate writes")
      ->type_name("FILE")
      ->capture_default_str();
  sim->add_option(
         "--validate", options->validate,
         "Compare live and simulated times of five programs, on --network or on what --calibrate has written")
      ->type_name("HOSTS");
  options::add_number(*sim, "--runs", options->runs, 1, 1000,
                      "Jobs of --calibrate, and live runs of each program of --validate")
      ->default_str("9");
  sim->add_flag("--list", options->list, "Show scenarios and networks");
  sim->prefix_command();
  completion::offer_first_word(
      sim,
      [] {
        std::vector<completion::Candidate> candidates;
        for (const scenarios::Scenario& each : scenarios::all())
          candidates.push_back({each.name, each.summary});
        return candidates;
      },
      completion::Beyond::kFiles);
  sim->callback([sim, options, &exit_code] {
    exit_code = 0;
    try {
      if (!options->replay.empty() && !options->list) prepare_replay(*sim, *options);
      exit_code = run_sim(*sim, *options, sim->remaining());
    } catch (const CannotWrite& failed) {
      Progress::clear();
      fmt::print(stderr, "aqueduct sim: {}\n", failed.what());
      exit_code = 1;
    }
  });
}
