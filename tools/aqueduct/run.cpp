// aqueduct run -n N [options] PROG ARGS...: starts a job and ends with its code.
#include <fmt/core.h>

#include <cstdlib>
#include <optional>

#include "base/env.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "conduit/plugin/search.hpp"
#include "conduit/registry/registry.hpp"
#include "hosts.hpp"
#include "job/place/membership.hpp"
#include "job/place/start_settings.hpp"
#include "job/supervision/supervisor.hpp"
#include "tools/common/arguments.hpp"
#include "tools/common/output_file.hpp"
#include "trace/merge.hpp"

namespace {

using namespace aqueduct;

/// The options as typed. The environment has the others, as in a program that is started directly.
struct RunTyped {
  std::optional<std::string> ranks;
  std::optional<std::string> conduit;
  std::optional<std::string> layout;
  std::optional<std::string> bind;
  std::optional<bool> tag;
  std::optional<bool> same_addresses;
  std::optional<std::string> timeout;
  std::optional<std::string> trace;
  hosts::TypedHosts hosts;
  bool show = false;
};

/// `source` is what names the conduit: "--conduit pigeon".
void check_conduit(const std::string& source, const std::string& name) {
  std::string why;
  if (name.empty() || conduit::is_known(name.c_str(), &why)) return;
  throw CLI::ValidationError(fmt::format("{}: {}", source, why));
}

/// The words after the options are the program with its arguments, whatever they look like. A "--" may
/// precede them; a later one is an ordinary argument.
std::vector<std::string> join_command(const CLI::App& run, std::vector<std::string> command,
                                      const std::vector<std::string>& after_dashes) {
  if (!command.empty() && command.front().size() > 1 && command.front().front() == '-') {
    throw CLI::ValidationError(
        fmt::format("{}: unknown option{}", command.front(), guess_option(run, command.front())));
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
  conduit::plugin::tell_ranks();
  job::Launch launch;
  launch.conduit = typed.conduit.value_or("");
  if (typed.conduit) {
    check_conduit("--conduit " + launch.conduit, launch.conduit);
  } else {
    // The ranks read it; this only checks it once, before anything starts.
    const char* const variable = env::name_in_use({"AQUEDUCT_CONDUIT"});
    const std::string named = variable != nullptr ? std::getenv(variable) : "";
    check_conduit("AQUEDUCT_CONDUIT=" + named, named);
  }
  if (typed.trace) {
    if (const auto complaint = output_file::try_file(*typed.trace))
      throw CLI::ValidationError("--trace: " + *complaint);
    ::setenv("AQUEDUCT_TRACE", typed.trace->c_str(), 1);
  }
  if (typed.layout) ::setenv("AQUEDUCT_LAYOUT", typed.layout->c_str(), 1);
  launch.bind = typed.bind ? *typed.bind : job::bind_from_environment();
  launch.tag = typed.tag ? *typed.tag : job::tag_from_environment();
  // Agents get it with the environment.
  if (typed.same_addresses) ::setenv(job::kSameAddresses, *typed.same_addresses ? "1" : "0", 1);
  launch.same_addresses = job::same_addresses_from_environment();
  if (typed.timeout) launch.time_limit_s = arguments::seconds("--timeout", *typed.timeout);
  return launch;
}

/// If hosts are named, the number of ranks may follow from their slots.
RankId count_for_hosts(const RunTyped& typed) {
  if (typed.ranks) return arguments::rank_count(*typed.ranks);
  return job::ranks_from_environment().value_or(0);
}

/// Checks a typed layout as an argument; that of the environment is checked where it is read.
void check_layout(const RunTyped& typed, RankId ranks) {
  std::string why;
  if (typed.layout && !job::layout_of_machine(*typed.layout, ranks, "--layout", ' ', &why))
    throw CLI::ValidationError(why);
}

int run_here(const job::Launch& launch, const RunTyped& typed) {
  check_layout(typed, launch.ranks);
  for (const std::string& variable : typed.hosts.environment) {
    const std::size_t equals = variable.find('=');
    if (equals == 0) throw CLI::ValidationError(fmt::format("--env {}: a variable has a name", variable));
    if (equals != variable.npos)
      ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  if (!typed.show) return job::supervise(launch).exit_code;
  fmt::print("{}", hosts::show_here(launch.ranks));
  return 0;
}

int run_on_hosts(job::Launch launch, const RunTyped& typed) {
  job::Placement placement = hosts::place(typed.hosts, count_for_hosts(typed));
  launch.ranks = placement.layout.size();
  if (hosts::is_all_here(placement) && !typed.show) return run_here(launch, typed);
  const job::HostsLaunch plan =
      hosts::plan(typed.hosts, std::move(launch), std::move(placement), AQUEDUCT_TOOL_VERSION);
  if (!typed.show) return trace::timeline::finish_job(job::supervise_hosts(plan));
  fmt::print("{}", hosts::show(plan));
  return 0;
}

/// Options that say where ranks go.
void add_host_options(CLI::App& run, const std::shared_ptr<RunTyped>& typed) {
  hosts::TypedHosts& hosts = typed->hosts;
  run.add_option("--hosts", hosts.hosts, "The hosts to run on: a,b:4 (so many slots); through ssh")
      ->type_name("LIST");
  run.add_option("--hostfile", hosts.hostfile, "The same from a file: a line for each host, b:4 or b slots=4")
      ->type_name("FILE");
  run.add_flag("--oversubscribe", hosts.may_oversubscribe, "Allow more ranks than the hosts have slots");
  run.add_option("--rsh", hosts.remote_shell,
                 "What reaches a host, in place of ssh: it is given the host and a command")
      ->type_name("CMD");
  run.add_option("--agent-path", hosts.agent_path, "Where this program is on the other hosts")
      ->type_name("PATH");
  run.add_option("--interface", hosts.interface, "The network interface that hosts meet at, such as eth0")
      ->type_name("NAME");
  run.add_option("--env", hosts.environment, "A variable for the ranks; may be given several times")
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run.add_flag("--show", typed->show, "Show which ranks go where, and start nothing");
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code, const std::vector<std::string>& after_dashes) {
  CLI::App* run = app.add_subcommand("run", "Start a job: run -n N [OPTIONS] PROG [ARGS...]");
  run->formatter(std::make_shared<UsageFormatter>("-n N PROG [ARGS...]"));
  run->footer(fmt::format(
      "Standard input goes to rank 0. The exit code is the first non-zero one of a rank, 128+n for signal "
      "n,\n{} after --timeout. Everything after PROG belongs to PROG.\n"
      "What is not given here comes from AQUEDUCT_RANKS, AQUEDUCT_CONDUIT, AQUEDUCT_LAYOUT, AQUEDUCT_BIND,\n"
      "AQUEDUCT_TAG and AQUEDUCT_SAME_ADDRESSES.",
      job::kTimedOut));
  auto typed = std::make_shared<RunTyped>();
  run->add_option("-n,--ranks", typed->ranks, fmt::format("Number of ranks, 1 to {}", job::kMaxRanks))
      ->type_name("N");
  completion::offer(run->add_option("--conduit", typed->conduit, "The network to use; see `aqueduct info`")
                        ->type_name("NAME"),
                    completion::conduits);
  run->add_option("--layout", typed->layout,
                  "Which ranks count as a host: 2+2, or 0,2/1,3; others talk through the network")
      ->type_name("HOSTS");
  completion::offer(
      run->add_option(
             "--bind", typed->bind,
             "Where ranks run: auto, none, compact, spread, or a list of cores such as 0,2,4-7 (auto)")
          ->type_name("HOW"),
      completion::bindings);
  run->add_flag_callback(
      "--tag", [typed] { typed->tag = true; }, "Start every line of output with its rank");
  run->add_flag_callback(
      "--no-tag", [typed] { typed->tag = false; }, "Do not, whatever AQUEDUCT_TAG says");
  run->add_flag_callback(
      "--same-addresses", [typed] { typed->same_addresses = true; },
      "Code, libraries and statics are at the same addresses in all ranks of a host");
  run->add_flag_callback(
      "--no-same-addresses", [typed] { typed->same_addresses = false; },
      "They need not be, whatever AQUEDUCT_SAME_ADDRESSES says");
  run->add_option("--timeout", typed->timeout,
                  fmt::format("End the job after S seconds, with code {}", job::kTimedOut))
      ->type_name("S");
  run->add_option("--trace", typed->trace,
                  "Write a timeline of the job, which Perfetto shows (ui.perfetto.dev)")
      ->type_name("FILE");
  add_host_options(*run, typed);
  run->prefix_command();
  completion::offer_first_word(run, {}, completion::Beyond::kPrograms);
  run->callback([run, typed, &exit_code, &after_dashes] {
    job::Launch launch = launch_of(*typed);
    const bool needs_command = !typed->show || !run->remaining().empty() || !after_dashes.empty();
    if (needs_command) launch.command = join_command(*run, run->remaining(), after_dashes);
    if (typed->hosts.interface) ::setenv("AQUEDUCT_INTERFACE", typed->hosts.interface->c_str(), 1);
    if (typed->hosts.names_hosts()) {
      exit_code = run_on_hosts(std::move(launch), *typed);
    } else {
      launch.ranks = count_of(*typed);
      exit_code = run_here(launch, *typed);
    }
  });
}
