// The agent of a host: the supervisor of the ranks that a job has there. A launcher on another host starts it
// through a remote shell (`aqueduct agent`) and speaks with it over its standard input and output, so that no
// port has to be open and nothing secret is on a command line (job/messages/agent_messages.hpp).
//
// Ranks get their shared memory, control sockets and pipes as on one host. What happens to them is passed on;
// what is to be done about it, the launcher alone decides (job/supervision/ending.hpp). Where the first rank
// of the job is, the agent serves the rendezvous.
//
// End      When the launcher closes the connection, or is silent for longer than the time that it has given
//          (before its first word: first_word_ms), the ranks of this host are killed with all that they have
//          started. A signal that asks the agent to end is reported to the launcher, which ends the job; an
//          agent without ranks ends at once all the same, one with ranks within kSignalGraceMs, or at a second
//          signal.
// After    Nothing is left; a second process guards the agent (job/supervision/guard.hpp).
//
// One thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "job/place/layout.hpp"

namespace aqueduct::job {

/// A launcher that lives has ended the job by then (job/supervision/ending.hpp).
inline constexpr std::uint32_t kSignalGraceMs = 1500;

struct AgentSettings {
  std::string version;  ///< of the library
  /// What `aqueduct info --json` says here of a job on these machines.
  std::function<std::string(const Layout& machines)> describe;
  /// How long the launcher may take for its first word: it answers a greeting at once.
  std::uint32_t first_word_ms = 8000;
};

/// Serves the launcher at the other end of standard input and output until it is done. Returns the exit code.
int run_agent(const AgentSettings& settings);

}  // namespace aqueduct::job
