// The agent of a host: the supervisor of the ranks that a job has there. A launcher on another host starts it
// through a remote shell (`aqueduct agent`) and speaks with it over its standard input and output, so that no
// port has to be open and nothing secret is on a command line (hosts/agent_messages.hpp).
//
// Ranks get their shared memory, control sockets and pipes as on one host. The agent passes their events on;
// only the launcher decides what follows (job/supervision/ending.hpp). The agent of the first rank's host
// serves the rendezvous.
//
// End      If the launcher closes the connection, or is silent for longer than agreed (before its first
//          message: first_word_ms), the agent kills the ranks of this host with all that they have started.
//          It reports a signal that asks it to end to the launcher, which ends the job; an agent without
//          ranks ends at once, one with ranks within kSignalGraceMs, or at a second signal.
// After    Nothing is left behind; a second process guards the agent (job/supervision/guard.hpp).
//
// One thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "job/place/layout.hpp"

namespace aqueduct::job {

/// By then a live launcher has ended the job (job/supervision/ending.hpp).
inline constexpr std::uint32_t kSignalGraceMs = 1500;

struct AgentSettings {
  std::string version;  ///< of the library
  /// The output of `aqueduct info --json` on this host for a job on these machines.
  std::function<std::string(const Layout& machines)> describe;
  /// How long the launcher may take for its first message; it answers a greeting at once.
  std::uint32_t first_word_ms = 8000;
};

/// Serves the launcher at the other end of standard input and output until it is done. Returns the exit code.
int run_agent(const AgentSettings& settings);

}  // namespace aqueduct::job
