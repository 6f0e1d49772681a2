// aqueduct run -n N [options] PROG ARGS...: starts a job and ends with its code.
#include <fmt/core.h>

#include <cstdlib>
#include <optional>

#include "arguments.hpp"
#include "base/env.hpp"
#include "commands.hpp"
#include "conduit/registry.hpp"
#include "job/membership.hpp"
#include "job/start_settings.hpp"
#include "job/supervisor.hpp"

namespace {

using namespace aqueduct;

/// What was typed. What was not is left to the environment, as in a program that is started directly.
struct RunTyped {
  std::optional<std::string> ranks;
  std::optional<std::string> conduit;
  std::optional<std::string> layout;
  std::optional<std::string> bind;
  std::optional<bool> tag;
  std::optional<std::string> timeout;
};

/// `source` is what names the conduit: "--conduit pigeon".
void check_conduit(const std::string& source, const std::string& name) {
  std::string why;
  if (name.empty() || conduit::is_known(name.c_str(), &why)) return;
  throw CLI::ValidationError(fmt::format("{}: {}", source, why));
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

RankId count_of(const RunTyped& typed) {
  if (typed.ranks) return arguments::rank_count(*typed.ranks);
  if (const std::optional<RankId> ranks = job::ranks_from_environment()) return *ranks;
  throw CLI::ValidationError("the number of ranks is missing: -n N");
}

job::Launch launch_of(const RunTyped& typed) {
  job::Launch launch;
  launch.ranks = count_of(typed);
  launch.conduit = typed.conduit.value_or("");
  if (typed.conduit) {
    check_conduit("--conduit " + launch.conduit, launch.conduit);
  } else {
    // The ranks read it; here it is only judged, once and before anything starts.
    const char* const variable = env::name_in_use({"AQUEDUCT_CONDUIT"});
    const std::string named = variable != nullptr ? std::getenv(variable) : "";
    check_conduit("AQUEDUCT_CONDUIT=" + named, named);
  }
  if (typed.layout) ::setenv("AQUEDUCT_LAYOUT", typed.layout->c_str(), 1);
  launch.bind = typed.bind ? *typed.bind : job::bind_from_environment();
  launch.tag = typed.tag ? *typed.tag : job::tag_from_environment();
  if (typed.timeout) launch.time_limit_s = arguments::seconds("--timeout", *typed.timeout);
  return launch;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code, const std::vector<std::string>& after_dashes) {
  CLI::App* run = app.add_subcommand("run", "Start a job: run -n N [OPTIONS] PROG [ARGS...]");
  run->formatter(std::make_shared<UsageFormatter>("-n N PROG [ARGS...]"));
  run->footer(fmt::format(
      "Standard input goes to rank 0. The exit code is the first non-zero one of a rank, 128+n for signal "
      "n,\n{} after --timeout. Everything after PROG belongs to PROG.\n"
      "What is not given here comes from AQUEDUCT_RANKS, AQUEDUCT_CONDUIT, AQUEDUCT_LAYOUT, AQUEDUCT_BIND\n"
      "and AQUEDUCT_TAG.",
      job::kTimedOut));
  auto typed = std::make_shared<RunTyped>();
  run->add_option("-n,--ranks", typed->ranks, fmt::format("Number of ranks, 1 to {}", job::kMaxRanks))
      ->type_name("N");
  run->add_option("--conduit", typed->conduit, "The network to use; see `aqueduct info`")->type_name("NAME");
  run->add_option("--layout", typed->layout,
                  "Which ranks count as a host: 2+2, or 0,2/1,3; others talk through the network")
      ->type_name("HOSTS");
  run->add_option("--bind", typed->bind,
                  "Where ranks run: auto, none, compact, spread, or a list of cores such as 0,2,4-7 (auto)")
      ->type_name("HOW");
  run->add_flag_callback(
      "--tag", [typed] { typed->tag = true; }, "Start every line of output with its rank");
  run->add_flag_callback(
      "--no-tag", [typed] { typed->tag = false; }, "Do not, whatever AQUEDUCT_TAG says");
  run->add_option("--timeout", typed->timeout,
                  fmt::format("End the job after S seconds, with code {}", job::kTimedOut))
      ->type_name("S");
  run->prefix_command();
  run->callback([run, typed, &exit_code, &after_dashes] {
    job::Launch launch = launch_of(*typed);
    launch.command = join_command(run->remaining(), after_dashes);
    exit_code = job::supervise(launch).exit_code;
  });
}
