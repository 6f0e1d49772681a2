// Two processes look after a job, so that neither can be killed without the other one cleaning up.
//
// The process that was started is the guard. It forks the supervisor, passes signals on to it and waits. If
// the supervisor is killed, its ranks die with it, and what they had started is adopted and ended by the
// guard. If the guard is killed, the lifeline (a pipe that only the guard holds open) closes and the
// supervisor ends the job.
#pragma once
#include <functional>

#include "job/supervision/reaping.hpp"
#include "job/supervision/signals.hpp"
#include "job/supervision/supervisor.hpp"

namespace aqueduct::job {

/// Forks, and runs `supervise` in the child, which ends with its exit code unless it has become a rank. The
/// lifeline is its argument. Returns in the guard, after the job has ended, and in forked ranks. Unless
/// somebody else does, `says_why`: one line, should the child be killed.
Supervised run_guarded(const std::function<Supervised(int lifeline_fd)>& supervise,
                       SupervisorSignals& signals, Adoption& adoption, bool says_why = true);

}  // namespace aqueduct::job
