// Jobs on several hosts, from the options of `aqueduct run` and other commands.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "hosts/ask_hosts.hpp"
#include "hosts/hub.hpp"
#include "job/supervision/supervisor.hpp"

namespace aqueduct::hosts {

/// The options as typed; the environment has the others.
struct TypedHosts {
  std::optional<std::string> hosts;
  std::optional<std::string> hostfile;
  std::optional<std::string> remote_shell;
  std::optional<std::string> agent_path;
  std::optional<std::string> interface;
  std::vector<std::string> environment;
  bool may_oversubscribe = false;

  bool names_hosts() const { return hosts || hostfile; }
};

/// Places ranks on hosts; `ranks` 0: one per slot. Throws std::invalid_argument with one line for the user.
job::Placement place(const TypedHosts& typed, RankId ranks);

/// The same for a job that is only described: all hosts have ranks, one each if neither ranks nor slots are
/// given.
job::Placement place_all(const TypedHosts& typed, RankId ranks);

/// How agents are started.
job::AgentSource agent_source(const TypedHosts& typed, const std::string& version);

/// The options of `aqueduct run` for such a job with this conduit, and the path of this program on its hosts.
std::vector<std::string> run_options(const TypedHosts& typed, RankId ranks, const std::string& conduit);
std::string program_there(const TypedHosts& typed);

/// Everything that the job needs, with `launch.ranks` set. Throws likewise.
job::HostsLaunch plan(const TypedHosts& typed, job::Launch launch, job::Placement placement,
                      const std::string& version);

/// Whether all ranks are on this machine, so that no agent is needed.
bool is_all_here(const job::Placement& placement);

/// What `aqueduct run --show` prints: one line for each host.
std::string show(const job::HostsLaunch& plan);
/// The same for a job of this machine, with the hosts that AQUEDUCT_LAYOUT makes of it.
std::string show_here(RankId ranks);

}  // namespace aqueduct::hosts
