// How a rank leaves: what exit_job() and fatal() need to know of the job, remembered for the process.
//
// This record is of the process and not of the rank, because gasnet_exit and fatal errors come from any
// thread, in any state, with nothing in hand. docs/architecture.md, "A rank is an object", lists what else
// is.
#pragma once

namespace aqueduct::job {

/// From now on exits and fatal errors are announced over `control_fd` (-1: there is no supervisor).
void remember_supervisor(int control_fd);

/// Tells the supervisor that this rank is a client's from now on, and later, if it calls exit() or returns
/// from main, that it does. Once a rank has left in whatever way but gasnet_exit, others may wait for
/// `timeout_ms` before the job ends: without it they might wait for ever.
void announce_leaving(int timeout_ms);

/// What gasnet_exit(1) does, for a rank that received SIGQUIT: the line that ends the job says so. For signal
/// handlers.
[[noreturn]] void quit_job();

}  // namespace aqueduct::job
