// aqueduct report: runs the benchmarks over all conduits that are possible here, and makes one page.
#include "info/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "base/variables.hpp"
#include "commands.hpp"
#include "machine.hpp"
#include "papers/bench/portals/simulated.hpp"
#include "report/measure.hpp"
#include "report/papers.hpp"
#include "tools/common/arguments.hpp"
#include "tools/common/output_file.hpp"
#include "tools/common/progress.hpp"

namespace aqueduct::report {
namespace {

constexpr unsigned kFewestRanks = 4;
constexpr unsigned kMostRanks = 16;

struct Typed {
  std::string out, json, from;
  std::vector<std::string> conduits, only;
  std::optional<std::string> timeout;
  bool quick = false;
  bool figures = false;
  bool no_peers = false;
};

int refuse(const std::string& complaint) {
  fmt::print(stderr, "aqueduct report: {}\n", complaint);
  return 2;
}

std::optional<std::string> judge_words(const char* option, const std::vector<std::string>& typed,
                                       const std::vector<std::string>& known) {
  for (const std::string& word : typed) {
    if (std::ranges::find(known, word) == known.end())
      return fmt::format("{}: nothing is known of '{}'; there are {}", option, word, fmt::join(known, ", "));
  }
  return {};
}

std::optional<std::string> judge_conduits(const std::vector<std::string>& typed,
                                          const info::InfoReport& here) {
  std::vector<std::string> names;
  for (const info::ConduitFacts& conduit : here.conduits) names.push_back(conduit.name);
  if (auto complaint = judge_words("--conduits", typed, names)) return complaint;
  for (const info::ConduitFacts& conduit : here.conduits) {
    if (!conduit.is_possible && std::ranges::find(typed, conduit.name) != typed.end())
      return fmt::format("--conduits: {} is not possible here: {}", conduit.name, conduit.reason);
  }
  return {};
}

/// Finds files that cannot be written before the work begins.
std::optional<std::string> judge_places(const Typed& typed) {
  if (typed.out.empty() && typed.json.empty())
    return "say --out FILE for the page, --json FILE for the data, or both";
  if (!typed.out.empty()) {
    if (const auto complaint = output_file::try_file(typed.out)) return "--out: " + *complaint;
  }
  if (!typed.json.empty()) {
    if (const auto complaint = output_file::try_file(typed.json)) return "--json: " + *complaint;
  }
  return {};
}

std::string command_of(const Typed& typed) {
  std::string text = "aqueduct report";
  if (typed.quick) text += " --quick";
  if (!typed.conduits.empty()) text += fmt::format(" --conduits {}", fmt::join(typed.conduits, ","));
  if (!typed.only.empty()) text += fmt::format(" --only {}", fmt::join(typed.only, ","));
  if (typed.no_peers) text += " --no-peers";
  if (typed.figures) text += " --figures";
  return text + " --out report.html";
}

Report begin(const Typed& typed, const info::InfoReport& here) {
  const bench::Machine machine = bench::describe_machine({});
  Report report;
  report.version = here.version;
  report.date = machine.date;
  report.command = command_of(typed);
  report.is_quick = typed.quick;
  report.machine = {.host = here.machine.host,
                    .cpu = machine.cpu,
                    .system = here.machine.system,
                    .cores = machine.cores,
                    .memory_bytes = here.machine.memory_bytes,
                    .load = machine.load};
  return report;
}

bool has_device(const info::InfoReport& here) {
  const auto can_be_used = [](const device::SurveyedDevice& each) { return each.why_not.empty(); };
  return std::ranges::any_of(here.devices, [&](const device::SurveyedDriver& driver) {
    return std::ranges::any_of(driver.devices, can_be_used);
  });
}

/// The share of the runs in the whole work; the figures take as long as forty runs.
double share_of_runs(const Typed& typed) { return typed.figures ? 0.7 : 1.0; }

void run_benches(const Typed& typed, const info::InfoReport& here, Progress& progress, Report& report) {
  ReportRequest request{.wanted = {.quick = typed.quick,
                                   .ranks = std::clamp(report.machine.cores, kFewestRanks, kMostRanks),
                                   .has_device = has_device(here),
                                   .only = typed.only},
                        .conduits = typed.conduits,
                        .has_peers = !typed.no_peers};
  if (typed.timeout) request.timeout_s = arguments::seconds("--timeout", *typed.timeout);
  const double share = share_of_runs(typed);
  const Watch watch = [&](const std::string& what, double from, double to) {
    if (what.empty()) return Progress::report(0);
    progress.stage(what);
    progress.span(from * share, to * share);
  };
  const auto complain = [](const FailedRun& failure) {
    Progress::clear();
    fmt::print(stderr, "aqueduct report: {}: {}\n", failure.what, failure.why);
  };
  measure(request, here, watch, complain, report);
}

void run_papers(const Typed& typed, Progress& progress, Report& report) {
  const double share = share_of_runs(typed);
  try {
    add_papers(report, [&](const std::string& what, double from, double to) {
      progress.stage(what);
      progress.span(share + from * (1 - share), share + to * (1 - share));
    });
  } catch (const bench::portals::Failed& failed) {
    report.failures.push_back({"figures", failed.what(), "aqueduct figures all --check"});
    Progress::clear();
    fmt::print(stderr, "aqueduct report: figures: {}\n", failed.what());
  }
}

/// True if everything was written.
bool store(const Typed& typed, const Report& report) {
  const auto write = [](const std::string& path, const std::string& text) {
    if (path.empty()) return true;
    if (const auto complaint = output_file::write(path, text)) {
      fmt::print(stderr, "aqueduct report: {}\n", *complaint);
      return false;
    }
    fmt::print("{}: {} KiB\n", path, (text.size() + 1023) / 1024);
    return true;
  };
  return write(typed.json, to_json(report)) && write(typed.out, page_of(report));
}

int run_from(const Typed& typed) {
  std::ifstream file(typed.from, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return refuse(fmt::format("--from: cannot read {}", typed.from));
  try {
    return store(typed, from_json(text.str())) ? 0 : 1;
  } catch (const Malformed& wrong) {
    return refuse(fmt::format("--from: {}: {}", typed.from, wrong.what()));
  }
}

int run(const Typed& typed) {
  if (const auto complaint = judge_places(typed)) return refuse(*complaint);
  if (!typed.from.empty()) return run_from(typed);
  if (const auto complaint = judge_words("--only", typed.only, section_words())) return refuse(*complaint);
  const info::InfoReport here = info::make_report(AQUEDUCT_TOOL_VERSION, job::Layout::one_host(2));
  if (const auto complaint = judge_conduits(typed.conduits, here)) return refuse(*complaint);
  env::warn_of_unknown_variables();
  const auto start = std::chrono::steady_clock::now();
  Report report = begin(typed, here);
  {
    Progress progress("aqueduct report");
    run_benches(typed, here, progress, report);
    if (typed.figures) run_papers(typed, progress, report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!store(typed, report)) return 1;
  if (report.failures.empty()) return 0;
  fmt::print(stderr, "aqueduct report: {} of its runs came to nothing; the rest is there\n",
             report.failures.size());
  return 1;
}

}  // namespace
}  // namespace aqueduct::report

void add_report_command(CLI::App& app, int& exit_code) {
  using aqueduct::report::Typed;
  CLI::App* command = app.add_subcommand(
      "report", "Measure all conduits that are possible here, and write one page about them");
  command->footer(
      "The page needs nothing else: no network, no other file. The exit code is 1 if a run came to nothing.");
  auto typed = std::make_shared<Typed>();
  command->add_option("--out", typed->out, "Write the page here: report.html")->type_name("FILE");
  command->add_option("--json", typed->json, "Store the data here, for --from and for programs")
      ->type_name("FILE");
  CLI::Option* const from =
      command->add_option("--from", typed->from, "Measure nothing: make the page of what --json has stored")
          ->type_name("FILE");
  const auto measured = [&](CLI::Option* option) { option->excludes(from); };
  measured(command->add_flag("--quick", typed->quick, "Fewer sizes and repetitions"));
  measured(command->add_option("--conduits", typed->conduits, "These alone: smp,udp")
               ->type_name("LIST")
               ->delimiter(','));
  measured(
      command
          ->add_option(
              "--only", typed->only,
              "These parts alone, of latency, bandwidth, rate, injection, barrier, random-access, devices")
          ->type_name("LIST")
          ->delimiter(','));
  measured(
      command->add_flag("--no-peers", typed->no_peers, "Leave other libraries' programs out (ucx_perftest)"));
  measured(command->add_flag("--figures", typed->figures,
                             "With the papers' figures, as `aqueduct figures all` makes them"));
  measured(command->add_option("--timeout", typed->timeout, "Seconds after which a run is given up (120)")
               ->type_name("SECONDS"));
  command->callback([typed, &exit_code] { exit_code = aqueduct::report::run(*typed); });
}
