// What hosts say of themselves, for `aqueduct info --hosts`: an agent is started on each, asked, and let go.
#pragma once
#include <string>
#include <vector>

#include "hosts/agent_process.hpp"
#include "hosts/host_list.hpp"

namespace aqueduct::job {

struct HostAnswer {
  std::string name;
  std::vector<std::string> interfaces;  ///< "eth0 192.0.2.1"
  std::string facts;                    ///< as `aqueduct info --json` has them there, for this job
  std::string error;                    ///< if not empty: why there are none, in one line
};

/// Asks the hosts of a placement, in its order, all at once. Blocks until each has answered or will not.
std::vector<HostAnswer> ask_hosts(const Placement& placement, const AgentSource& source);

}  // namespace aqueduct::job
