// The warden supervises the ranks of a host that a foreign launcher has started, as a supervisor does with
// its own ranks (job/supervision/supervisor.hpp). It is a process that the first rank of each host forks.
//
// It leaves output and signals to the launcher. It sees ranks end (by process descriptors, as they are not
// its children), reads their announcements, and ends those that are left when the job is over. The warden of
// the first host decides when that is and writes the one line that says why: it runs the loop of a supervisor
// (job/supervision/supervision.hpp), whose source of ranks is job/warden/foreign_job.hpp. Wardens of other
// hosts report to it and do what it says (job/warden/other_warden.hpp), over TCP, in the messages of agents
// (job/messages/rank_messages.hpp) and with their heartbeats.
//
// A rank ends with its own exit code, or with the job's if its warden ends it; the launcher decides what it
// makes of these codes.
//
// It ends with its ranks; if it is killed, they die with it. It is in a session of its own, so that signals
// to the ranks' process group do not end it before it has reported why they end; and init is its parent, so
// that a rank that waits for its children does not wait for it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/bootstrap/rendezvous.hpp"
#include "job/place/layout.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job::warden {

struct WardenPlan {
  std::uint64_t name = 0;                ///< the name of the socket at which ranks enrol
  Layout machines;                       ///< which ranks are on which machine
  HostId machine = 0;                    ///< this one
  std::vector<std::string> names;        ///< of the machines, for people
  int timeout_ms = 0;                    ///< the limit for ranks to enrol, and for wardens to find each other
  std::uint32_t patience_ms = 0;         ///< how long a host may be silent; 0: for ever
  bool reports_failures = false;         ///< the job goes on when a rank dies (AQUEDUCT_ON_FAILURE)
  net::JobKey key;                       ///< the key that wardens prove to know
  std::optional<Rendezvous> rendezvous;  ///< of the leaders of hosts, served on the first machine
  net::Descriptor listener;              ///< for other wardens, on the first machine
  net::Address first;                    ///< the first machine's listener, on others
};

/// Starts the warden, with shared memory for the ranks. Returns when it listens; fatal if it cannot be
/// started.
void start(WardenPlan plan);

/// The time, by the machine's clock, until which a job that starts now waits for ranks and hosts.
std::uint64_t start_end_ns(const WardenPlan& plan);
/// Writes the description of the job to the memory of this machine's ranks (job/inspection/job_table.hpp).
void describe_to_others(const WardenPlan& plan, int memory_fd, const std::string& socket,
                        const std::string& launcher);
/// Writes a line to standard error in one piece.
void say(const std::string& line);

/// "rank 3 has not come ...", about a rank that does not enrol.
std::string describe_missing(RankId rank);

}  // namespace aqueduct::job::warden
