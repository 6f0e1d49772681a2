// A rank's place in its job: which rank it is, of how many, on which host, and what it shares with others.
//
// A job is a supervisor and its ranks, on one host or on several; with several, each host has an agent that
// supervises the ranks there (tools/aqueduct/hosts/agent.hpp). The supervisor
// (job/supervision/supervisor.hpp) is the launcher `aqueduct run`, or, for a program started directly with
// AQUEDUCT_RANKS=N or GASNET_PSHM_NODES=N, the first process itself, which forks its ranks inside join()
// (job/join.hpp) and never returns from it.
//
// A rank inherits two descriptors: `memory_fd`, a memfd that all ranks share (job/place/shared_memory.hpp
// says what lies where), and `control_fd`, a SOCK_SEQPACKET socket to the supervisor over which it announces
// how it leaves (job/place/leave.hpp). Nothing here has a name in a file system, so nothing can be left
// behind. If AQUEDUCT_LAYOUT makes one machine count as several hosts, the supervisor runs a rendezvous for
// their leaders and tells the ranks its address (job/bootstrap/rendezvous.hpp); otherwise nobody opens a
// network socket. The memory file also holds the job's key.
#pragma once
#include <optional>

#include "base/types.hpp"
#include "job/place/binding.hpp"
#include "job/place/layout.hpp"
#include "net/address.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job {

/// The limit of the types in messages and tables; a machine runs out of processes sooner.
inline constexpr RankId kMaxRanks = RankId{1} << 20;

/// A rank's place in the job.
struct Membership {
  RankId rank = 0;
  RankId size = 1;
  Layout hosts;                     ///< of all ranks
  bool hosts_are_given = false;     ///< AQUEDUCT_LAYOUT makes one machine several hosts
  bool hosts_are_machines = false;  ///< hosts share nothing but the network
  /// GASNET_SUPERNODE_MAXSIZE: how many ranks of a host are neighbours at most; 0: all. Unset: the conduit's
  /// choice.
  std::optional<RankId> most_neighbours;
  bool reports_failures = false;  ///< AQUEDUCT_ON_FAILURE: the job goes on when a rank dies
  RankId machine_ranks = 1;       ///< ranks that share the memory and the cores of this machine
  int memory_fd = -1;             ///< shared by the ranks of this host; always valid after join()
  int control_fd = -1;            ///< to the supervisor; -1 in a program that was started alone, as one rank
  unsigned cores = 1;             ///< hardware threads that the job's ranks share, counted before any binding
  bool yields_reach_others = true;  ///< a rank that yields its core lets other ranks of this machine run
  NarrowBinding binding;            ///< that this rank should give up once it has threads
  net::Address rendezvous;  ///< where the leaders of several hosts find each other; without family on one
  net::JobKey key;          ///< of the job

  HostId host() const { return hosts.host_of(rank); }
  /// Which ranks share memory. `by_default`: whether ranks of a host do unless the user says otherwise.
  Layout neighbourhoods(bool by_default) const {
    const bool has_hosts = hosts_are_given || hosts_are_machines;
    return hosts.split(most_neighbours.value_or(by_default || has_hosts ? 0 : 1));
  }
};

}  // namespace aqueduct::job
