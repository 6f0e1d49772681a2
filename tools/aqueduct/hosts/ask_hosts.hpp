// Asks hosts about themselves, for `aqueduct info --hosts`: starts an agent on each, asks it and ends it.
#pragma once
#include <string>
#include <vector>

#include "hosts/agent_process.hpp"
#include "hosts/host_list.hpp"

namespace aqueduct::job {

struct HostAnswer {
  std::string name;
  std::vector<std::string> interfaces;  ///< "eth0 192.0.2.1"
  std::string facts;                    ///< the output of `aqueduct info --json` there, for this job
  std::string error;                    ///< if not empty: why there are no facts, in one line
};

/// Asks all hosts of a placement at once; the answers are in its order. Blocks until each has answered or
/// failed.
std::vector<HostAnswer> ask_hosts(const Placement& placement, const AgentSource& source);

}  // namespace aqueduct::job
