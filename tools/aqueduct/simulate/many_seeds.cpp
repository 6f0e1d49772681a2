#include "simulate/many_seeds.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "simulate/failure.hpp"
#include "simulate/one_run.hpp"
#include "simulate/seed_results.hpp"
#include "tools/common/child.hpp"
#include "tools/common/output_file.hpp"
#include "tools/common/progress.hpp"
#include "tools/common/side_by_side.hpp"

namespace aqueduct::simulate {

namespace {

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

}  // namespace

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

}  // namespace aqueduct::simulate
