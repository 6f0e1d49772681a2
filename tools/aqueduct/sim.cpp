// aqueduct sim [options] SCENARIO: runs a scenario, or a program of the user's, on a simulated network.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <deque>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "base/variables.hpp"
#include "calibrate/calibrate.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "machine.hpp"
#include "seed_results.hpp"
#include "sim/fault_places.hpp"
#include "sim/network.hpp"
#include "sim/placement.hpp"
#include "sim/units.hpp"
#include "tools/common/child.hpp"
#include "tools/common/guess.hpp"
#include "tools/common/machines.hpp"
#include "tools/common/networks.hpp"
#include "tools/common/options.hpp"
#include "tools/common/output_file.hpp"
#include "tools/common/progress.hpp"
#include "tools/common/settings_in_use.hpp"
#include "tools/common/side_by_side.hpp"
#include "tools/replay/scenario.hpp"
#include "tools/scenarios/random_access.hpp"
#include "tools/scenarios/rank_run.hpp"
#include "tools/scenarios/samples.hpp"
#include "tools/scenarios/scenarios.hpp"
#include "trace/timeline.hpp"

namespace {

using namespace aqueduct;
using namespace aqueduct::sim;

constexpr std::uint64_t kLeastStackBytes = 16 << 10;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

struct SimOptions {
  std::string network = "crossbar";
  fabric::NodeId nodes = 8;
  std::string dimensions;
  unsigned ranks_per_node = 1;
  std::uint64_t seed = 1;
  std::string seeds;
  bool statistics = false;
  bool stop_at_failure = false;
  unsigned jobs = 0;  // 0: as many as there are cores
  std::string json;   // a file
  std::optional<std::string> faults;
  std::vector<std::string> overrides;
  std::string conduit = "wire";
  std::string bridge;  // empty: the machine's default
  std::string placement = "packed";
  bool every_packet = false;
  std::string links;   // a file
  std::string trace;   // a file
  std::string replay;  // a file
  double compute = 1;
  std::string against;  // a network
  std::string segment = "1 MiB";
  std::string stack = "256 KiB";
  std::string time_limit = "100 s";
  scenarios::Parameters parameters;
  bool list = false;
  bool costs = false;
  bool live = false;
  std::string calibrate, validate;   // hosts
  std::string live_conduit = "udp";  // of these two
  std::string out = "calibrated.toml";
  unsigned runs = 9;
};

// What to run: a scenario, or a program and its arguments.
struct Subject {
  const scenarios::Scenario* scenario = nullptr;
  int (*program)(int argc, char** argv) = nullptr;
  std::vector<std::string> words;
};

/// Set while a simulation runs: the command that repeats it, and the versions that it ran with.
std::string repetition;
/// The file of its timeline; empty if none is written.
std::string timeline_file;

/// A file cannot be written after the work: the disk is full.
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes what ranks have recorded; stops the recording. Returns the reason of a failure in one line.
std::string write_timeline(bool has_failed) {
  const std::string file = std::exchange(timeline_file, "");
  return file.empty() ? "" : trace::timeline::write_simulated(file, has_failed);
}

/// The program and the network file of a run; a run with others may differ.
std::string origin_of(const SimOptions& options, const NetworkModel& model) {
  return fmt::format("aqueduct {}, network file {} (CRC-32 {:08x})", AQUEDUCT_TOOL_VERSION, options.network,
                     model.file_crc32);
}

void fail(const char* line) {
  Progress::clear();
  fmt::print(stderr, "{}\nTo see it again: {}\n", line, repetition);
  if (const std::string complaint = write_timeline(true); !complaint.empty())
    fmt::print(stderr, "--trace: {}\n", complaint);
  std::fflush(nullptr);
  _exit(1);
}

std::uint64_t take(const std::string& option, const std::string& text, Dimension dimension,
                   std::uint64_t least = 0, std::uint64_t most = UINT64_MAX) {
  const std::optional<Quantity> value = quantity(text);
  if (!value || value->dimension != dimension) {
    throw CLI::ValidationError(fmt::format("{} {}: it must be {}", option, text, name_of(dimension)));
  }
  if (value->value < least || value->value > most) {
    throw CLI::ValidationError(fmt::format("{} {}: it must be from {} to {}", option, text, least, most));
  }
  return value->value;
}

Topology::Dimensions parse_dimensions(const std::string& text) {
  Topology::Dimensions box{1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [rest, error] = std::from_chars(at, end, box[axis]);
    const bool last = axis == 2 || rest == end;
    if (error != std::errc() || box[axis] == 0 || (last ? rest != end : *rest != 'x')) {
      throw CLI::ValidationError("--dimensions " + text + ": it should look like 8x8x16");
    }
    if (last) break;
    at = rest + 1;
  }
  return box;
}

struct Seeds {
  std::uint64_t first = 1, count = 1;
};

/// "1000": so many from --seed on. "5:1000": 1000 from 5 on.
Seeds parse_seeds(const SimOptions& options) {
  Seeds seeds{options.seed, 1};
  if (options.seeds.empty()) return seeds;
  const char* at = options.seeds.data();
  const char* const end = at + options.seeds.size();
  if (const std::size_t colon = options.seeds.find(':'); colon != options.seeds.npos) {
    const auto [rest, error] = std::from_chars(at, at + colon, seeds.first);
    at = error == std::errc() && rest == at + colon ? rest + 1 : end;
  }
  const auto [rest, error] = std::from_chars(at, end, seeds.count);
  const bool is_count = error == std::errc() && rest == end && seeds.count != 0;
  if (is_count && seeds.count - 1 <= ~seeds.first) return seeds;
  throw CLI::ValidationError("--seeds " + options.seeds +
                             ": it should look like 1000 (so many from --seed on) or 5:1000 (from 5 on), all "
                             "below 2^64");
}

Subject find_subject(const CLI::App& sim, const SimOptions& options, const std::vector<std::string>& words) {
  if (!options.replay.empty()) {
    if (!words.empty()) throw CLI::ValidationError(words[0] + ": --replay is what runs; take no scenario");
    Subject subject;
    subject.scenario = &replay::scenario();
    return subject;
  }
  if (options.compute != 1 || !options.against.empty())
    throw CLI::ValidationError("--compute and --against are for --replay");
  if (words.empty()) throw CLI::ValidationError("no scenario was given; `aqueduct sim --list` shows them");
  Subject subject;
  subject.words = words;
  subject.scenario = scenarios::find(words.front());
  if (subject.scenario) {
    if (words.size() > 1) throw CLI::ValidationError(words[1] + ": scenarios take no arguments");
    return subject;
  }
  if (words.front().size() > 1 && words.front().front() == '-') {
    throw CLI::ValidationError(words.front() + ": unknown option" + guess_option(sim, words.front()));
  }
  if (words.front().find('/') == std::string::npos) {
    std::vector<std::string> names;
    for (const scenarios::Scenario& each : scenarios::all()) names.emplace_back(each.name);
    const std::string meant = guess(words.front(), names);
    throw CLI::ValidationError("there is no scenario '" + words.front() + "'" +
                               (!meant.empty()
                                    ? meant
                                    : "; `aqueduct sim --list` shows them. A program needs a slash: "
                                      "./program.so"));
  }
  void* const object = ::dlopen(words.front().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object) throw CLI::ValidationError(fmt::format("cannot load the program: {}", ::dlerror()));
  subject.program = reinterpret_cast<int (*)(int, char**)>(::dlsym(object, "aqueduct_sim_main"));
  if (!subject.program) {
    throw CLI::ValidationError(words.front() + " does not define aqueduct_sim_main(); see aqueduct/sim.h");
  }
  return subject;
}

std::string repeating_command(const SimOptions& options, const Setup& setup, const Subject& subject) {
  const FaultPlan& faults = setup.faults;
  std::string text = fmt::format("{}aqueduct sim --network {} --nodes {} --seed {}", settings_in_use(),
                                 quoted(options.network), setup.nodes, setup.seed);
  if (!options.dimensions.empty()) text += " --dimensions " + options.dimensions;
  if (options.placement != "packed") text += " --placement " + quoted(options.placement);
  if (options.every_packet) text += " --every-packet";
  if (setup.ports_per_node != 1) text += fmt::format(" --ranks-per-node {}", setup.ports_per_node);
  for (const std::string& one : options.overrides) text += " --set " + quoted(one);
  if (options.faults || faults.any()) text += fmt::format(" --faults '{}'", faults.text());
  if (options.conduit != "wire") text += " --conduit " + options.conduit;
  if (!options.bridge.empty()) text += " --bridge " + options.bridge;
  if (options.parameters.look_ahead != 0)
    text += fmt::format(" --look-ahead {}", options.parameters.look_ahead);
  if (!options.parameters.version.empty()) text += fmt::format(" --version {}", options.parameters.version);
  if (options.parameters.rounds != 0) text += fmt::format(" --rounds {}", options.parameters.rounds);
  if (options.parameters.bytes != 0) text += fmt::format(" --bytes {}", options.parameters.bytes);
  if (options.segment != "1 MiB") text += " --segment " + quoted(options.segment);
  if (options.stack != "256 KiB") text += " --stack " + quoted(options.stack);
  if (options.time_limit != "100 s") text += " --time-limit " + quoted(options.time_limit);
  if (!options.replay.empty()) text += " --replay " + quoted(options.replay);
  if (options.compute != 1) text += fmt::format(" --compute {}", options.compute);
  for (const std::string& word : subject.words) text += " " + quoted(word);
  return text;
}

/// The size of the page tables of this process, which is large if memory is sparse.
long page_table_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "VmPTE:" && status >> kib) return kib;
  }
  return 0;
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Totals {
  std::uint64_t events = 0, messages = 0, payload_bytes = 0, tries = 0;
  std::uint64_t hash = 0;        // of all runs
  std::uint64_t trace_hash = 0;  // of the last one
  Time virtual_time = 0;
  double seconds = 0;
  std::uint32_t ranks = 0;  // of each run; 0 if bare ports run
  long kib_before = 0;      // peak memory before the first run
  long page_table_kib = 0;  // the most at the end of a run
  std::string links;        // their loads in the last run of ranks
  std::array<std::uint64_t, static_cast<std::size_t>(FaultProbe::kCount)> probes{};
};

/// A rank's own copy of the arguments, which it may change as a process may.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    argv_.reserve(words_.size() + 1);
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
  }
  Arguments(const Arguments&) = delete;

  int argc() const { return static_cast<int>(words_.size()); }
  char** argv() { return argv_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
};

/// The kind of machine that the conduit runs on.
const MachineKind& machine_of(const SimOptions& options) {
  const MachineKind* const found = machines::of_conduit(options.conduit);
  if (!found) {
    throw CLI::ValidationError(
        fmt::format("--conduit {}: it must be {}", options.conduit, fmt::join(machines::conduits(), "|")));
  }
  const MachineKind& kind = *found;
  if (!options.bridge.empty() && !kind.has(options.bridge)) {
    throw CLI::ValidationError(fmt::format("--bridge {}: conduit {} runs on {}, which has no such bridge",
                                           options.bridge, options.conduit, kind.summary));
  }
  return kind;
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

JobOptions job_options_of(const SimOptions& options) {
  JobOptions job_options;
  job_options.max_segment_bytes =
      round_up(take("--segment", options.segment, Dimension::kBytes, 1, kMostBytes), kPage);
  job_options.time_limit = take("--time-limit", options.time_limit, Dimension::kTime);
  return job_options;
}

/// Returns a line that says what went wrong; empty if nothing did.
std::string run_ranks(Simulation& simulation, const SimOptions& options, const Subject& subject,
                      const scenarios::Parameters& parameters, Totals& totals) {
  JobOptions job_options = job_options_of(options);
  // What the audit does is no load of the job's.
  if (!options.links.empty()) job_options.at_end = [&] { totals.links = link_loads(simulation); };
  std::deque<Arguments> all_arguments;  // not on the ranks' stacks: a rank that exits never returns
  return scenarios::run_ranks(simulation, job_options, machine_of(options), options.bridge, [&](RankId rank) {
    const auto run_program = [&] {
      Arguments& arguments = all_arguments.emplace_back(subject.words);
      return subject.program(arguments.argc(), arguments.argv());
    };
    const int code = subject.scenario ? subject.scenario->rank_main(parameters) : run_program();
    // Read while the ranks' memory still exists.
    if (rank == 0) totals.page_table_kib = std::max(totals.page_table_kib, page_table_kib());
    return code;
  });
}

/// What a run with one seed begins with.
struct Start {
  Setup setup;
  scenarios::Parameters parameters;
  bool has_ranks = false;
};

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
  setup.stack_bytes = take("--stack", options.stack, Dimension::kBytes, kLeastStackBytes, kMostBytes);
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
  repetition = fmt::format("{}\nIt was seen with {}, seed {}", repeating_command(options, setup, subject),
                           origin_of(options, model), seed);
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

/// The memory per rank, without what the command used before it started any.
std::string memory_per_rank(const Totals& totals, long peak_kib) {
  if (totals.ranks == 0) return "";
  const auto bytes = static_cast<double>(std::max(peak_kib - totals.kib_before, 0l)) * 1024 / totals.ranks;
  if (totals.ranks == 1) return fmt::format(" ({:.1f} KiB for the rank)", bytes / 1024);
  return fmt::format(" ({:.1f} KiB for each of {} ranks, {:.1f} bytes for each of a rank's peers)",
                     bytes / 1024, totals.ranks, bytes / (totals.ranks - 1));
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

// Many seeds side by side.

/// What one of them has printed, below the hash of its trace: its figures and its scenario's.
std::string run_for_statistics(const NetworkModel& model, const SimOptions& options, const Subject& subject,
                               std::uint64_t seed) {
  Progress::leave_to_parent();
  const InheritedFile printed;
  ::dup2(::open(printed.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), STDOUT_FILENO);
  Totals totals;
  run_once(model, options, subject, seed, totals, false);
  const auto ns = static_cast<double>(totals.virtual_time) / static_cast<double>(kNanosecond);
  std::string text = fmt::format("{:016x}\nvirtual time  {:.3f} ns\nevents        {}\nmessages      {}\n",
                                 totals.trace_hash, ns, totals.events, totals.messages);
  text += fmt::format("payload       {} bytes\ntries         {}\n", totals.payload_bytes, totals.tries);
  for (std::size_t i = 0; i < totals.probes.size(); ++i) {
    if (totals.probes[i] != 0)
      text += fmt::format("fault {}  {}\n", name_of(static_cast<FaultProbe>(i)), totals.probes[i]);
  }
  if (subject.scenario && subject.scenario->findings) text += subject.scenario->findings();
  std::fflush(nullptr);
  return text + printed.text();
}

/// False if a seed has failed.
bool run_seeds_side_by_side(const NetworkModel& model, const SimOptions& options, const Subject& subject,
                            Seeds seeds) {
  // What is wrong with the options is said here, once.
  const Start start = prepare(model, options, subject, seeds.first);
  if (start.has_ranks) (void)job_options_of(options);
  const auto seed_of = [&](std::size_t piece) { return seeds.first + piece; };
  std::vector<Answer> answers;
  {
    Progress progress("aqueduct sim");
    progress.stage(fmt::format("{} seeds", seeds.count));
    answers = run_side_by_side(
        seeds.count,
        [&](std::size_t piece) { return run_for_statistics(model, options, subject, seed_of(piece)); },
        {.at_once = options.jobs,
         .advance = [](double part) { Progress::report(part); },
         .is_enough = [&](const Answer& answer) { return options.stop_at_failure && !answer.is_there; }});
  }
  SeedResults results{.first = seeds.first, .count = seeds.count};
  for (std::size_t piece = 0; piece < answers.size(); ++piece) {
    const Answer& answer = answers[piece];
    if (answer.is_there) {
      constexpr std::size_t kHashDigits = 16;
      std::uint64_t hash = 0;
      std::from_chars(answer.text.data(), answer.text.data() + kHashDigits, hash, 16);
      results.trace_hash = mix(results.trace_hash + hash);
      results.statistics.add(std::string_view(answer.text).substr(kHashDigits + 1));
      ++results.passed;
      continue;
    }
    const Start failed = prepare(model, options, subject, seed_of(piece));
    results.failures.push_back(
        {seed_of(piece), answer.why, repeating_command(options, failed.setup, subject)});
    if (options.stop_at_failure) break;
  }
  const Topology topology(model.shape, start.setup.nodes,
                          start.setup.dimensions ? &*start.setup.dimensions : nullptr);
  print_heading(model, options, start.setup, topology,
                fmt::format("seeds {} to {}", seeds.first, seed_of(seeds.count - 1)));
  fmt::print("{}", results.text(options.statistics));
  std::fflush(stdout);
  fmt::print(stderr, "{}", results.failures_text());
  if (!options.json.empty()) {
    if (const auto complaint = output_file::write(options.json, results.json(model.name, start.setup.nodes)))
      throw CannotWrite("--json: " + *complaint);
  }
  return results.failures.empty();
}

/// Whether seeds run side by side; refuses what does not go with that.
bool is_side_by_side(const SimOptions& options) {
  if (!options.json.empty() && !options.statistics) throw CLI::ValidationError("--json is for --statistics");
  const char* const asked = options.statistics        ? "--statistics"
                            : options.stop_at_failure ? "--stop-at-failure"
                            : options.jobs != 0       ? "--jobs"
                                                      : nullptr;
  if (!asked) return false;
  if (options.seeds.empty())
    throw CLI::ValidationError(fmt::format("{} is for many runs: --seeds 100", asked));
  if (!options.links.empty()) throw CLI::ValidationError("--links: the loads are those of a single seed");
  if (options.json.empty()) return true;
  if (const auto complaint = output_file::try_file(options.json))
    throw CLI::ValidationError("--json: " + *complaint);
  return true;
}

void check_parameters(const SimOptions& options, const Subject& subject) {
  const auto complaint = subject.scenario ? subject.scenario->complaint : nullptr;
  if (!complaint) {
    if (!options.parameters.version.empty()) throw CLI::ValidationError("--version is for random-access");
    if (options.parameters.look_ahead != 0) throw CLI::ValidationError("--look-ahead is for random-access");
    return;
  }
  if (const std::string wrong = complaint(options.parameters, options.conduit); !wrong.empty())
    throw CLI::ValidationError(wrong);
}

/// The network with the numbers that the user has replaced.
std::string network_in_words(const SimOptions& options) {
  std::string words = options.network;
  for (std::size_t i = 0; i < options.overrides.size(); ++i)
    words += (i == 0 ? " (" : ", ") + options.overrides[i];
  return options.overrides.empty() ? words : words + ")";
}

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
int run_sim(const CLI::App& sim, const SimOptions& options, const std::vector<std::string>& words) {
  if (options.list) {
    fmt::print("Scenarios:\n");
    for (const scenarios::Scenario& scenario : scenarios::all()) {
      fmt::print("  {:<13} {}{}\n", scenario.name, scenario.summary,
                 *scenario.faults
                     ? fmt::format("\n{:16}faults unless told otherwise: {}", "", scenario.faults)
                     : "");
    }
    fmt::print("Versions of random-access:\n");
    for (const std::string& version : scenarios::random_access_versions()) fmt::print("  {}\n", version);
    fmt::print("Conduits, and what they run on:\n");
    for (const std::string& name : machines::conduits()) {
      const MachineKind& kind = *machines::of_conduit(name);
      std::string bridges;
      for (const Access& access : kind.accesses) {
        bridges +=
            fmt::format("{} --bridge {} ({})", bridges.empty() ? ";" : ",", access.name, access.summary);
      }
      fmt::print("  {:<13} {}{}\n", name, kind.summary, bridges);
    }
    fmt::print("Networks:\n");
    for (const std::string& name : networks::names()) {
      std::string error;
      const auto model = networks::load(name, {}, &error);
      fmt::print("  {:<18} {}\n", name, model ? model->summary : error);
    }
    return 0;
  }
  if (!options.calibrate.empty() || !options.validate.empty()) {
    if (!words.empty()) throw CLI::ValidationError("--calibrate and --validate take no scenario");
    run_calibration(options);
    return 0;
  }
  const Subject subject = find_subject(sim, options, words);
  if (options.live) return run_live(options, subject);
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
    timeline_file = options.trace;
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

/// Empty, or what is wrong with the value of --compute.
std::string check_scale(const std::string& text) {
  double scale = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, scale);
  const bool is_good = error == std::errc() && rest == end && scale >= 0 && scale <= 1e6;
  return is_good ? "" : "it must be a number from 0 to 1000000, not '" + text + "'";
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
      "SCENARIO is one of --list, or a shared object that defines aqueduct_sim_main() (see aqueduct/sim.h), "
      "with its arguments.\nThe same options and seed give the same trace hash, everywhere. Words of "
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
  sim->add_option("--segment", options->segment, "Largest segment of a rank")
      ->type_name("BYTES")
      ->capture_default_str();
  sim->add_option("--stack", options->stack, "Stack of a rank")->type_name("BYTES")->capture_default_str();
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
  sim->add_option("--compute", options->compute,
                  "Scale the time that ranks computed between calls of a replay; 0: computing takes none")
      ->type_name("SCALE")
      ->transform(CLI::Validator(check_scale, ""))
      ->default_str("1");
  completion::offer(
      sim->add_option("--against", options->against, "Replay on this network as well, as its file has it")
          ->type_name("NAME"),
      [] { return completion::plain_words(networks::names()); }, completion::Beyond::kFiles);
  sim->add_flag(
      "--every-packet", options->every_packet,
      "Simulate packets one by one also where their way is clear: slower; times are the same where nothing "
      "has to wait, and under load they differ by a few percent, at most 24 measured");
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
