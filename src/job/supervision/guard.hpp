// Two processes look after a job; if one is killed, the other one cleans up.
//
// The process that was started is the guard. It forks the supervisor, passes signals on to it and waits. If
// the supervisor is killed, its ranks die with it, and the guard adopts and ends the processes that they had
// started. If the guard is killed, the lifeline (a pipe that only the guard holds open) closes and the
// supervisor ends the job.
#pragma once
#include <functional>

#include "job/supervision/reaping.hpp"
#include "job/supervision/signals.hpp"
#include "job/supervision/supervisor.hpp"

namespace aqueduct::job {

/// Forks, and runs `supervise` in the child with the lifeline as argument; the child ends with its exit code
/// unless it has become a rank. Returns in the guard after the job has ended, and in forked ranks.
/// `says_why`: writes one line if the child is killed.
Supervised run_guarded(const std::function<Supervised(int lifeline_fd)>& supervise,
                       SupervisorSignals& signals, Adoption& adoption, bool says_why = true);

}  // namespace aqueduct::job
