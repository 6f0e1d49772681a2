// aqueduct bench: the command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <memory>

#include "commands.hpp"
#include "completion.hpp"
#include "job.hpp"
#include "job/place/membership.hpp"
#include "job/place/start_settings.hpp"
#include "json_text.hpp"
#include "random_access/rules.hpp"
#include "registry.hpp"
#include "table.hpp"
#include "tools/common/guess.hpp"
#include "tools/common/networks.hpp"
#include "tools/common/output_file.hpp"

namespace aqueduct::bench {
namespace {

constexpr unsigned kMostThreads = 256;
constexpr unsigned kMostPeers = 255;
constexpr unsigned kMostRepetitions = 100'000;

/// The options as typed. Numbers stay text until this file checks them, so that every complaint is one line.
struct Typed {
  Parameters parameters;
  std::optional<std::string> ranks;
  bool is_live = false;
  std::optional<std::string> threads;
  std::optional<std::string> peers;
  std::optional<std::string> repetitions;
  std::optional<std::string> sizes;
  std::optional<std::string> window;
  std::optional<std::string> version;
  std::optional<std::string> look_ahead;
  std::optional<std::string> bind;
  std::optional<std::string> seed;
  std::string json_file;
  bool list = false;
};

void print_list() {
  std::size_t width = 0;
  for (const Bench& bench : all_benches()) width = std::max(width, std::string_view(bench.name).size());
  for (const Bench& bench : all_benches()) fmt::print("{:<{}}  {}\n", bench.name, width, bench.summary);
}

int refuse(const std::string& complaint) {
  fmt::print(stderr, "aqueduct bench: {}\n", complaint);
  return 2;
}

/// Reads a number from `least` to `most` into `value` if one was typed. Returns a complaint, or nothing.
template <class Number>
std::optional<std::string> read_number(const char* option, const std::optional<std::string>& text,
                                       Number least, Number most, Number& value) {
  if (!text) return {};
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc{} && rest == end && value >= least && value <= most) return {};
  return fmt::format("{}: '{}' is not a number from {} to {}", option, *text, least, most);
}

std::optional<std::string> read_count(const char* option, const std::optional<std::string>& text,
                                      unsigned most, unsigned& value) {
  return read_number(option, text, 1u, most, value);
}

/// Reads a version, which is stored as a kind.
std::optional<std::string> read_version(Typed& typed) {
  if (!typed.version) return {};
  Parameters& parameters = typed.parameters;
  const Bench* const bench = find_bench(parameters.bench);
  if (bench != nullptr && std::string_view(bench->kind_option) != "--version")
    return fmt::format("{} has no --version", bench->name);
  if (!parameters.kind.empty()) return "--version and --kind say the same; one of them is enough";
  parameters.kind = *typed.version;
  return {};
}

/// Makes complete parameters of the typed options. Returns a complaint, or nothing.
std::optional<std::string> judge(Typed& typed) {
  Parameters& parameters = typed.parameters;
  if (parameters.bench.empty()) return "which benchmark? (see aqueduct bench --list)";
  if (find_bench(parameters.bench) == nullptr) {
    std::vector<std::string> names;
    for (const Bench& bench : all_benches()) names.emplace_back(bench.name);
    if (const std::string meant = guess(parameters.bench, names); !meant.empty())
      return fmt::format("unknown benchmark '{}'{}", parameters.bench, meant);
  }
  if (auto complaint = read_count("-n", typed.ranks, job::kMaxRanks, parameters.ranks)) return complaint;
  if (auto complaint = read_count("--threads", typed.threads, kMostThreads, parameters.threads))
    return complaint;
  if (auto complaint = read_count("--peers", typed.peers, kMostPeers, parameters.peers)) return complaint;
  if (typed.peers && !typed.ranks) parameters.ranks = parameters.peers + 1;
  if (auto complaint =
          read_count("--repetitions", typed.repetitions, kMostRepetitions, parameters.repetitions)) {
    return complaint;
  }
  if (auto complaint = read_number<std::uint64_t>("--seed", typed.seed, 0, UINT64_MAX, parameters.seed)) {
    return complaint;
  }
  if (auto complaint = read_count("--look-ahead", typed.look_ahead, random_access::kMostLookAhead,
                                  parameters.look_ahead)) {
    return complaint;
  }
  if (auto complaint = read_version(typed)) return complaint;
  parameters.bind = typed.bind ? *typed.bind : job::bind_from_environment();
  if (typed.sizes) {
    const Bench* const bench = find_bench(parameters.bench);
    const std::size_t least = bench != nullptr ? bench->least_size : 1;
    const auto sizes = parse_sizes(*typed.sizes, least);
    if (!sizes) {
      return fmt::format("--sizes: '{}' is not a list of sizes such as 8,4K,1M, from {} to 1G each",
                         *typed.sizes, least);
    }
    parameters.sizes = *sizes;
  }
  if (typed.window) {
    const auto window = parse_size(*typed.window);
    if (!window) return fmt::format("--window: '{}' is not a size such as 256M, from 1 to 1G", *typed.window);
    parameters.window = *window;
  }
  if (parameters.mode.empty()) parameters.mode = parameters.threads > 1 ? "par" : "seq";
  if (parameters.mode != "seq" && parameters.mode != "par") {
    return fmt::format("--mode: seq or par, not '{}'", parameters.mode);
  }
  return complete(parameters);
}

/// Prints and stores what there is; answers the exit code.
int show_outcome(const Typed& typed, const Outcome& outcome) {
  const Parameters& parameters = typed.parameters;
  if (outcome.result) {
    fmt::print("{}", as_table(parameters, outcome.conduit, outcome.machine, *outcome.result));
    if (!typed.json_file.empty()) {
      const std::string text = stored_text(parameters, outcome.conduit, outcome.machine, *outcome.result,
                                           command_line(parameters));
      if (const auto complaint = output_file::write(typed.json_file, text)) {
        refuse("--json: " + *complaint);
        return 1;
      }
    }
  }
  if (!outcome.error.empty()) fmt::print(stderr, "aqueduct bench: {}\n", outcome.error);
  return outcome.exit_code;
}

int run(Typed typed) {
  if (typed.list) {
    print_list();
    return 0;
  }
  if (const auto complaint = judge(typed)) return refuse(*complaint);
  const Parameters& parameters = typed.parameters;

  if (!typed.json_file.empty()) {
    if (const auto complaint = output_file::try_file(typed.json_file)) return refuse("--json: " + *complaint);
  }

  const auto show = [&typed](const Outcome& outcome) { return show_outcome(typed, outcome); };
  if (typed.is_live) take_part(parameters, show);
  return show(run_job(parameters));
}

}  // namespace
}  // namespace aqueduct::bench

void add_bench_command(CLI::App& app, int& exit_code) {
  using namespace aqueduct;
  using namespace aqueduct::bench;
  CLI::App* bench = app.add_subcommand("bench", "Measure the library beside the machine's own limits");
  bench->footer("Times are medians over batches that take turns with the machine's own limit.");
  auto typed = std::make_shared<Typed>();
  Parameters& parameters = typed->parameters;
  parameters.mode.clear();
  completion::offer(bench->add_option("NAME", parameters.bench, "Which benchmark")->type_name(""), [] {
    std::vector<completion::Candidate> candidates;
    for (const Bench& each : all_benches()) candidates.push_back({each.name, each.summary});
    return candidates;
  });
  bench->add_flag("--list", typed->list, "Show the benchmarks");
  bench->add_option("-n,--ranks", typed->ranks, "Number of ranks (2)")->type_name("N");
  completion::offer(
      bench->add_option("--conduit", parameters.conduit, "The network to use; see `aqueduct info`")
          ->type_name("NAME"),
      completion::conduits);
  bench
      ->add_option("--kind", parameters.kind,
                   "Which operation, where there are several: short, medium, long, put, get")
      ->type_name("KIND");
  bench
      ->add_option("--version", typed->version,
                   "How random-access moves updates: active-messages, aggregated, atomics, get-put, velo, "
                   "message-passing")
      ->type_name("VERSION");
  bench->add_option("--look-ahead", typed->look_ahead, "Updates that a rank of random-access may hold (1024)")
      ->type_name("U");
  bench->add_option("--sizes", typed->sizes, "Payload sizes, such as 8,4K,1M; the table's, for random-access")
      ->type_name("LIST");
  bench->add_option("--repetitions", typed->repetitions, "Batches per row, in turns with the limit's")
      ->type_name("R");
  bench
      ->add_option("--against", parameters.against,
                   "raw: take the bare interface below the conduit as the limit (udp: sockets, extoll: VELO)")
      ->type_name("raw");
  const auto memory_option = [&](const char* option, std::string& where, const char* text) {
    completion::offer(bench->add_option(option, where, text)->type_name("WHERE"), [] {
      return completion::plain_words({"host", "device"});
    });
  };
  memory_option("--local-memory", parameters.local_memory,
                "Where a rank's own side of puts and gets lies: host or device");
  memory_option("--remote-memory", parameters.remote_memory, "The same of the other side");
  completion::offer(bench
                        ->add_option("--device-class", parameters.device_class,
                                     "Whose device that is: cuda, hip or ze (the first that is there)")
                        ->type_name("CLASS"),
                    [] {
                      return completion::plain_words({"cuda", "hip", "ze"});
                    });
  bench
      ->add_option("--window", typed->window,
                   "Memory that successive puts and gets pass through, such as 256M (a few places, in cache)")
      ->type_name("SIZE");
  bench->add_option("--threads", typed->threads, "Communicating threads in each rank (1)")->type_name("T");
  bench
      ->add_option("--peers", typed->peers,
                   "Ranks that rank 0 of a flood sends to in turn (1); -n is one more")
      ->type_name("P");
  bench->add_option("--mode", parameters.mode, "Thread mode of the client: seq or par (par where T > 1)")
      ->type_name("MODE");
  completion::offer(
      bench
          ->add_option(
              "--bind", typed->bind,
              "Where ranks run: auto, none, compact, spread, or a list of cores such as 0,2,4-7 (auto)")
          ->type_name("HOW"),
      completion::bindings);
  CLI::Option* const simulate =
      bench->add_option("--sim", parameters.simulate, "Simulate on this network: seastar-redstorm, or a file")
          ->type_name("NETWORK");
  completion::offer(
      simulate, [] { return completion::plain_words(networks::names()); }, completion::Beyond::kFiles);
  bench->add_option("--set", parameters.change, "Change a number of the network: costs.interrupt_exit=3us")
      ->type_name("NAME=VALUE")
      ->needs(simulate);
  bench
      ->add_option("--bridge", parameters.bridge,
                   "How simulated processes reach the interface: qk, uk, k, accelerated")
      ->type_name("BRIDGE")
      ->needs(simulate)
      ->capture_default_str();
  bench
      ->add_option("--faults", parameters.faults,
                   "What goes wrong in the simulation: 'corrupt=1000 delay=500'")
      ->type_name("WORDS")
      ->needs(simulate);
  bench->add_option("--seed", typed->seed, "Of the simulation (0)")->type_name("N")->needs(simulate);
  bench
      ->add_flag(
          "--live", typed->is_live,
          "Take part in a job instead, of other hosts too: aqueduct run -n 2 --hosts a,b aqueduct bench "
          "--live NAME")
      ->excludes(simulate);
  bench->add_option("--json", typed->json_file, "Store the result here too")->type_name("FILE");
  bench->add_flag("--inject-error", parameters.inject_error, "Spoil one word, to see the self-check fail")
      ->group("");
  bench->callback([typed, &exit_code] { exit_code = run(*typed); });

  CLI::App* rank = app.add_subcommand("bench-rank", "One rank of a benchmark")->group("");
  auto text = std::make_shared<std::string>();
  rank->add_option("PARAMETERS", *text)->required();
  rank->callback([text] { rank_main(parameters_from_text(*text)); });
}
