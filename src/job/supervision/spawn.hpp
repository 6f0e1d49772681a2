// Starts the ranks of a host.
//
// Each rank gets two pipes for its output, a control socket, the shared memory of the job and its place in
// the environment; then it runs the command, or, without one, goes on as a copy of this process. It inherits
// no other descriptors of the supervisor.
//
// A rank that cannot run the command writes errno into a pipe that closes itself when the command starts, so
// that the supervisor knows whether all have started, and if not reports the reason once.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "job/place/binding.hpp"
#include "job/supervision/descriptor_limit.hpp"
#include "job/supervision/signals.hpp"
#include "job/supervision/supervisor.hpp"
#include "net/descriptor.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job {

/// A rank as its supervisor sees it.
struct RankProcess {
  RankId rank = 0;
  pid_t pid = -1;
  net::Descriptor process;  ///< a pidfd, readable when the rank has ended; -1 where the system forbids it
  net::Descriptor control;
  net::Descriptor output;
  net::Descriptor errors;
};

/// A variable of job/place/variables.hpp for all ranks; one without a value is removed.
struct PlaceVariable {
  const char* name;
  std::string value;
};

struct Spawned {
  bool in_rank = false;                   ///< true in a forked rank
  net::Descriptor memory;                 ///< the memory that the ranks share; not set in a rank
  std::vector<RankProcess> ranks;         ///< the ranks that were started, also after an error
  bool have_different_addresses = false;  ///< although Launch asks for the same addresses
  std::string error;                      ///< if not empty: why the job cannot start, in one line
  int error_code = 0;
};

/// The ranks of the job to start on this host.
struct HostShare {
  std::vector<RankId> ranks;
  int input_fd = -1;  ///< what rank 0 reads, if it is one of them; -1: standard input
};
/// All ranks of the job.
HostShare whole_job(RankId size);

/// `binding` is indexed by the place in the share. The ranks find `key` in the memory that they share.
Spawned spawn_ranks(const Launch& launch, const HostShare& share, const BindingPlan& binding,
                    const net::JobKey& key, const std::vector<PlaceVariable>& variables,
                    const SupervisorSignals& signals, const DescriptorLimit& limit);

}  // namespace aqueduct::job
