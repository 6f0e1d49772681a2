// The warden: what a supervisor is to ranks that it has started (job/supervision/supervisor.hpp), for ranks
// of a host that another launcher has started. A process of its own, forked by the first rank of each host.
//
// It holds no output and passes no signals on: that is the launcher's. It sees ranks end (by process
// descriptors, as they are not its children), reads what they announce, and ends those that are left when the
// job is over. The warden of the first host decides that and writes the one line that says why: it runs the
// loop of a supervisor (job/supervision/supervision.hpp), whose source of ranks is
// job/warden/foreign_job.hpp. Wardens of other hosts tell it what happens there and do what it says
// (job/warden/other_warden.hpp), over TCP, in the messages of agents (job/messages/agent_messages.hpp) and
// with their heartbeats.
//
// A rank's exit code is its own, or that of the job where its warden ends it; what a launcher makes of them
// is the launcher's.
//
// It ends with its ranks; if it is killed, they die with it. It belongs to a session of its own, so that
// signals to the ranks' process group do not reach it before it has told why they end, and to the init
// process, so that a rank that waits for its children does not wait for it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/bootstrap/rendezvous.hpp"
#include "job/place/layout.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job::warden {

struct Plan {
  std::uint64_t name = 0;                ///< at which ranks enrol
  Layout machines;                       ///< who is where
  HostId machine = 0;                    ///< this one
  std::vector<std::string> names;        ///< of the machines, for people
  int timeout_ms = 0;                    ///< for ranks to enrol, and for wardens to find each other
  std::uint32_t patience_ms = 0;         ///< how long a host may be silent; 0: for ever
  bool reports_failures = false;         ///< the job goes on when a rank dies (AQUEDUCT_ON_FAILURE)
  net::JobKey key;                       ///< that wardens prove to each other
  std::optional<Rendezvous> rendezvous;  ///< of the leaders of hosts, served on the first machine
  net::Descriptor listener;              ///< for other wardens, on the first machine
  net::Address first;                    ///< where that one listens, on others
};

/// Starts it, with shared memory for the ranks. Returns when it listens; fatal if it cannot be started.
void start(Plan plan);

/// When ranks and hosts of a job that starts now are not waited for any more, by the machine's clock.
std::uint64_t start_end_ns(const Plan& plan);
/// Says in the memory of this machine's ranks what the job is, for those who look
/// (job/inspection/job_list.hpp).
void describe_to_others(const Plan& plan, int memory_fd, const std::string& socket,
                        const std::string& launcher);
/// Writes a line to standard error in one piece.
void say(const std::string& line);

/// "rank 3 has not come ...": of a rank that does not enrol.
std::string describe_missing(RankId rank);

}  // namespace aqueduct::job::warden
