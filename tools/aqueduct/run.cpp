// aqueduct run -n N [options] PROG ARGS...: starts a job and ends with its code.
#include <fmt/core.h>

#include <optional>

#include "arguments.hpp"
#include "commands.hpp"
#include "conduit/registry.hpp"
#include "job/membership.hpp"
#include "job/supervisor.hpp"

namespace {

using namespace aqueduct;

struct RunOptions {
  std::optional<std::string> ranks;
  job::Launch launch;
};

void check_conduit(const std::string& name) {
  if (name.empty() || conduit::find(name.c_str()) != nullptr) return;
  std::string known;
  for (const conduit::Description* description : conduit::all())
    known += fmt::format(" {}", description->name);
  throw CLI::ValidationError(
      fmt::format("--conduit {}: there is no such conduit; this build has{}", name, known));
}

/// What follows the options is the program with its arguments, whatever they look like. A "--" may stand
/// before it; one that comes later is an argument like any other.
std::vector<std::string> join_command(std::vector<std::string> command,
                                      const std::vector<std::string>& after_dashes) {
  if (!command.empty() && command.front().size() > 1 && command.front().front() == '-') {
    throw CLI::ValidationError(fmt::format("{}: unknown option", command.front()));
  }
  const bool dashes_separate = command.empty() && !after_dashes.empty();
  command.insert(command.end(), after_dashes.begin() + (dashes_separate ? 1 : 0), after_dashes.end());
  if (command.empty() || command.front().empty()) throw CLI::ValidationError("no program to run was given");
  return command;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code, const std::vector<std::string>& after_dashes) {
  CLI::App* run = app.add_subcommand("run", "Start a job: run -n N [OPTIONS] PROG [ARGS...]");
  run->formatter(std::make_shared<UsageFormatter>("-n N PROG [ARGS...]"));
  run->footer(
      "Standard input goes to rank 0. The exit code is the first non-zero one of a rank, 128+n for signal "
      "n.\n"
      "Everything after PROG belongs to PROG.");
  auto options = std::make_shared<RunOptions>();
  run->add_option("-n,--ranks", options->ranks, fmt::format("Number of ranks, 1 to {}", job::kMaxRanks))
      ->type_name("N");
  run->add_option("--conduit", options->launch.conduit, "The network to use; see `aqueduct info`")
      ->type_name("NAME");
  run->add_option("--bind", options->launch.bind,
                  "Where ranks run: auto, none, compact, spread, or a list of cores such as 0,2,4-7")
      ->type_name("HOW")
      ->capture_default_str();
  run->add_flag("--tag", options->launch.tag, "Start every line of output with its rank");
  run->prefix_command();
  run->callback([run, options, &exit_code, &after_dashes] {
    if (!options->ranks) throw CLI::ValidationError("the number of ranks is missing: -n N");
    options->launch.ranks = arguments::rank_count(*options->ranks);
    check_conduit(options->launch.conduit);
    options->launch.command = join_command(run->remaining(), after_dashes);
    exit_code = job::supervise(options->launch).exit_code;
  });
}
