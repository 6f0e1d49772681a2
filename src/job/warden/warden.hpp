// The warden: what a supervisor is to ranks that it has started (job/supervisor.hpp), for ranks of a host
// that another launcher has started. A process of its own, forked by the first rank of each host.
//
// It holds no output and passes no signals on: that is the launcher's. It sees ranks end (by process
// descriptors, as they are not its children), reads what they announce, and decides by the same policy when
// the job is over (job/ending.hpp): then it writes the one line that says why, and ends the ranks that are
// left, within a second. A rank's exit code is its own; that of the job is what its launcher makes of them.
//
// It ends with its ranks; if it is killed, they die with it. It belongs to a session of its own, so that
// signals to the ranks' process group do not reach it before it has told why they end, and to the init
// process, so that a rank that waits for its children does not wait for it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/descriptor.hpp"
#include "job/layout.hpp"
#include "job/rendezvous.hpp"

namespace aqueduct::job::warden {

struct Plan {
  std::uint64_t name = 0;  ///< at which ranks enrol
  Layout hosts;            ///< real ones
  HostId host = 0;         ///< this one
  int timeout_ms = 0;      ///< for ranks to enrol
  /// Of the leaders of hosts, served on the first host.
  std::optional<Rendezvous> rendezvous;
};

/// Starts it, with shared memory for the ranks. Returns when it listens; fatal if it cannot be started.
void start(Plan plan);

}  // namespace aqueduct::job::warden
