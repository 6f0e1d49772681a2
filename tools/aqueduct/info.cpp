// aqueduct info: what this build can do on this machine, and what it would choose.
#include <fmt/core.h>

#include <algorithm>

#include "base/variables.hpp"
#include "commands.hpp"
#include "hosts.hpp"
#include "info/report.hpp"
#include "tools/common/arguments.hpp"

namespace {

struct InfoTyped {
  std::optional<std::string> ranks;
  bool json = false;
  bool variables = false;
  aqueduct::hosts::TypedHosts hosts;
};

/// Prints the facts of several hosts and the conduit of a job on them. The exit code is 1 if a host does not
/// answer.
int print_hosts(const InfoTyped& typed) {
  using namespace aqueduct;
  const job::Placement placement =
      hosts::place_all(typed.hosts, typed.ranks ? arguments::rank_count(*typed.ranks) : 0);
  const std::vector<job::HostAnswer> answers =
      job::ask_hosts(placement, hosts::agent_source(typed.hosts, AQUEDUCT_TOOL_VERSION));
  const std::string text = info::hosts_as_text(answers);
  if (text.empty()) throw CLI::ValidationError("a host says of itself what cannot be understood");
  fmt::print("{}", text);
  return std::any_of(answers.begin(), answers.end(), [](const auto& each) { return !each.error.empty(); })
             ? 1
             : 0;
}

int print_info(const InfoTyped& typed) {
  using namespace aqueduct;
  if (typed.variables) {
    fmt::print("{}", info::variable_tables());
    return 0;
  }
  env::warn_of_unknown_variables();
  if (typed.hosts.names_hosts()) return print_hosts(typed);
  const RankId ranks = arguments::rank_count(typed.ranks.value_or("2"));
  const info::InfoReport report = info::make_report(AQUEDUCT_TOOL_VERSION, job::Layout::one_host(ranks));
  fmt::print("{}", typed.json ? info::as_json(report) : info::as_text(report));
  return 0;
}

}  // namespace

void add_asking_options(CLI::App& command, aqueduct::hosts::TypedHosts& typed,
                        const std::string& hosts_text) {
  command.add_option("--hosts", typed.hosts, hosts_text)->type_name("LIST");
  command.add_option("--hostfile", typed.hostfile, "The same with the hosts of a file")->type_name("FILE");
  command.add_option("--rsh", typed.remote_shell, "What reaches a host, in place of ssh")->type_name("CMD");
  command.add_option("--agent-path", typed.agent_path, "Where this program is on the other hosts")
      ->type_name("PATH");
}

void add_info_command(CLI::App& app, int& exit_code) {
  CLI::App* info = app.add_subcommand("info", "Show conduits, limits, and what would be chosen here");
  auto typed = std::make_shared<InfoTyped>();
  info->add_option("-n,--ranks", typed->ranks, "Size of the job to choose a conduit for")
      ->type_name("N")
      ->default_str("2");
  info->add_flag("--json", typed->json, "In a form for programs");
  info->add_flag("--variables", typed->variables, "Show the variables of the environment instead");
  add_asking_options(*info, typed->hosts,
                     "Ask these hosts, a,b:4, through ssh, and say what a job on them gets");
  info->callback([typed, &exit_code] { exit_code = print_info(*typed); });
}
