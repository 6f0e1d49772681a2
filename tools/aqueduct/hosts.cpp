#include "hosts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <stdexcept>

#include "base/env.hpp"
#include "hosts/forwarding.hpp"
#include "job/place/start_settings.hpp"

namespace aqueduct::hosts {
namespace {

constexpr std::int64_t kMostHeartbeatS = 86'400;

/// The words of the remote shell; `source` is what names it.
std::vector<std::string> remote_shell_of(const TypedHosts& typed) {
  const bool is_typed = typed.remote_shell.has_value();
  const std::string text = is_typed
                               ? *typed.remote_shell
                               : env::text({"AQUEDUCT_RSH"}, std::string(job::kDefaultRemoteShell).c_str());
  const std::optional<std::vector<std::string>> words = job::words_of(text);
  if (words) return *words;
  throw std::invalid_argument(fmt::format("{}{}: it must be a command such as 'ssh -p 2222'",
                                          is_typed ? "--rsh " : "AQUEDUCT_RSH=", text));
}

std::vector<job::ListedHost> list_of(const TypedHosts& typed) {
  if (typed.hosts && typed.hostfile)
    throw std::invalid_argument("--hosts and --hostfile both say where ranks go; give one of them");
  const job::HostList list =
      typed.hosts ? job::parse_hosts(*typed.hosts, "--hosts") : job::read_hostfile(*typed.hostfile);
  if (!list.error.empty()) throw std::invalid_argument(list.error);
  return list.hosts;
}

std::string working_directory() {
  // Prefers the shell's name of the directory if it is right, because other hosts may know only that name.
  char real[PATH_MAX] = "";
  if (getcwd(real, sizeof real) == nullptr)
    throw std::invalid_argument("the working directory is gone; change to one that all hosts have");
  const char* const named = std::getenv("PWD");
  char resolved[PATH_MAX] = "";
  if (named != nullptr && named[0] == '/' && realpath(named, resolved) != nullptr &&
      std::string_view(resolved) == real)
    return named;
  return real;
}

std::string ranks_in_words(const std::vector<RankId>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", job::describe_ranks(ranks));
}

}  // namespace

job::Placement place(const TypedHosts& typed, RankId ranks) {
  job::Placement placement = job::place_ranks(list_of(typed), ranks, typed.may_oversubscribe);
  if (!placement.error.empty()) throw std::invalid_argument(placement.error);
  return placement;
}

job::Placement place_all(const TypedHosts& typed, RankId ranks) {
  std::vector<job::ListedHost> hosts = list_of(typed);
  if (ranks != 0 && ranks < hosts.size()) {
    throw std::invalid_argument(
        fmt::format("-n {}: there are {} hosts, which have a rank each at least", ranks, hosts.size()));
  }
  for (job::ListedHost& host : hosts) host.slots = ranks == 0 ? std::max<RankId>(host.slots, 1) : 0;
  job::Placement placement = job::place_ranks(hosts, ranks, true);
  if (!placement.error.empty()) throw std::invalid_argument(placement.error);
  return placement;
}

std::string program_there(const TypedHosts& typed) {
  return typed.agent_path ? *typed.agent_path : env::text({"AQUEDUCT_AGENT"}, job::own_path().c_str());
}

job::AgentSource agent_source(const TypedHosts& typed, const std::string& version) {
  return {remote_shell_of(typed), program_there(typed), version};
}

std::vector<std::string> run_options(const TypedHosts& typed, RankId ranks, const std::string& conduit) {
  std::vector<std::string> options{"-n", std::to_string(ranks), "--conduit", conduit, "--oversubscribe"};
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    if (value) options.insert(options.end(), {name, *value});
  };
  add("--hosts", typed.hosts);
  add("--hostfile", typed.hostfile);
  add("--rsh", typed.remote_shell);
  add("--agent-path", typed.agent_path);
  return options;
}

job::HostsLaunch plan(const TypedHosts& typed, job::Launch launch, job::Placement placement,
                      const std::string& version) {
  if (env::name_in_use({"AQUEDUCT_LAYOUT"}) != nullptr) {
    throw std::invalid_argument(
        "a layout (--layout, AQUEDUCT_LAYOUT) makes hosts of one machine; with --hosts there are real ones");
  }
  job::HostsLaunch plan;
  plan.launch = std::move(launch);
  plan.placement = std::move(placement);
  plan.agents = agent_source(typed, version);
  plan.directory = working_directory();
  plan.interface = env::text({"AQUEDUCT_INTERFACE"}, "");
  constexpr std::int64_t kDefaultS = 5;
  plan.patience_ms = static_cast<std::uint32_t>(
      env::integer({"AQUEDUCT_HEARTBEAT"}, 0, kMostHeartbeatS).value_or(kDefaultS) * 1000);
  std::string error;
  plan.environment = job::forwarded_environment(environ, typed.environment, &error);
  if (!error.empty()) throw std::invalid_argument(error);
  return plan;
}

bool is_all_here(const job::Placement& placement) {
  return placement.hosts.size() == 1 && placement.hosts.front().is_here;
}

std::string show(const job::HostsLaunch& plan) {
  std::string text;
  std::size_t width = 0;
  for (const auto& host : plan.placement.hosts) width = std::max(width, host.name.size());
  for (const auto& host : plan.placement.hosts) {
    std::string how = "this machine";
    if (!host.is_here) {
      how.clear();
      for (const std::string& word :
           job::agent_command(plan.agents.remote_shell, host.name, plan.agents.agent_path))
        how += (how.empty() ? "" : " ") + job::quoted_for_shell(word);
    }
    text += fmt::format("{:{}}  {}  ({})\n", host.name, width, ranks_in_words(host.ranks), how);
  }
  return text;
}

std::string show_here(RankId ranks) {
  job::Membership any_rank;
  any_rank.size = ranks;
  job::read_layout(any_rank);
  std::string text;
  for (job::HostId host = 0; host < any_rank.hosts.hosts(); ++host) {
    std::vector<RankId> there;
    for (RankId local = 0; local < any_rank.hosts.local_size(host); ++local)
      there.push_back(any_rank.hosts.rank_at(host, local));
    const std::string name = any_rank.hosts_are_given ? fmt::format("host {}", host) : "localhost";
    text += fmt::format("{}  {}  (this machine)\n", name, ranks_in_words(there));
  }
  return text;
}

}  // namespace aqueduct::hosts
