// Jobs on several hosts, as `aqueduct run` is told of them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "hosts/ask_hosts.hpp"
#include "hosts/hub.hpp"
#include "job/supervision/supervisor.hpp"

namespace aqueduct::hosts {

/// What was typed; what was not is left to the environment.
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

/// Where ranks go; `ranks` 0: as many as there are slots. Throws std::invalid_argument with one line for the
/// user.
job::Placement place(const TypedHosts& typed, RankId ranks);

/// The same for a job that is only spoken of: all hosts have ranks, without a number of these or of slots one
/// each.
job::Placement place_all(const TypedHosts& typed, RankId ranks);

/// How agents are started.
job::AgentSource agent_source(const TypedHosts& typed, const std::string& version);

/// What `aqueduct run` is told for such a job with this conduit, and where this program is on its hosts.
std::vector<std::string> run_options(const TypedHosts& typed, RankId ranks, const std::string& conduit);
std::string program_there(const TypedHosts& typed);

/// All that the job needs to know, with `launch.ranks` set. Throws likewise.
job::HostsLaunch plan(const TypedHosts& typed, job::Launch launch, job::Placement placement,
                      const std::string& version);

/// Whether the job is one of this machine alone, which needs no agent.
bool is_all_here(const job::Placement& placement);

/// What `aqueduct run --show` prints: one line for each host.
std::string show(const job::HostsLaunch& plan);
/// The same for a job of this machine, with the hosts that AQUEDUCT_LAYOUT makes of it.
std::string show_here(RankId ranks);

}  // namespace aqueduct::hosts
