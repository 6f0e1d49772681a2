#include "simulate/failure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "sim/process/process.hpp"
#include "tools/common/progress.hpp"
#include "tools/common/settings_in_use.hpp"
#include "trace/timeline.hpp"

namespace aqueduct::simulate {

namespace {

/// Set while a simulation runs: the command that repeats it, and the versions that it ran with.
std::string repetition;
/// The file of its timeline; empty if none is written.
std::string timeline_file;

}  // namespace

std::string write_timeline(bool has_failed) {
  const std::string file = std::exchange(timeline_file, "");
  return file.empty() ? "" : trace::timeline::write_simulated(file, has_failed);
}

std::string origin_of(const SimOptions& options, const NetworkModel& model) {
  return fmt::format("aqueduct {}, network file {} (CRC-32 {:08x})", AQUEDUCT_TOOL_VERSION, options.network,
                     model.file_crc32);
}

void fail(const char* line) {
  process::leave_process();
  Progress::clear();
  fmt::print(stderr, "{}\nTo see it again: {}\n", line, repetition);
  if (const std::string complaint = write_timeline(true); !complaint.empty())
    fmt::print(stderr, "--trace: {}\n", complaint);
  std::fflush(nullptr);
  _exit(1);
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
  if (options.segment != (subject.executable ? kSegmentOfExecutables : "1 MiB"))
    text += " --segment " + quoted(options.segment);
  if (options.stack != (subject.executable ? kStackOfExecutables : "256 KiB"))
    text += " --stack " + quoted(options.stack);
  for (const std::string& one : options.shared) text += " --shared " + quoted(one);
  if (options.time_limit != "100 s") text += " --time-limit " + quoted(options.time_limit);
  if (!options.replay.empty()) text += " --replay " + quoted(options.replay);
  if (!options.computing.empty()) text += " --compute " + quoted(options.computing);
  if (options.patience != 10) text += fmt::format(" --patience {}", options.patience);
  if (options.compute != 1) text += fmt::format(" --compute {}", options.compute);
  for (const std::string& word : subject.words) text += " " + quoted(word);
  return text;
}

void now_runs(const SimOptions& options, const NetworkModel& model, const Setup& setup,
              const Subject& subject) {
  repetition = fmt::format("{}\nIt was seen with {}, seed {}", repeating_command(options, setup, subject),
                           origin_of(options, model), setup.seed);
}

void set_timeline_file(const std::string& file) { timeline_file = file; }

}  // namespace aqueduct::simulate
