// How a rank leaves: what exit_job() and fatal() need to know of the job, remembered for the process. Any
// thread may call these two at any time, also inside a handler.
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

/// The first part of exit_job(): from now on this thread leaves, and the supervisor and neighbours know. What
/// is left to do may take its time: a rank that has announced its exit is not waited for. (A rank that
/// announced it only when all its messages are delivered would seem to stay behind the others, which are
/// gone and acknowledge nothing.) If another thread leaves already, this one waits for the end.
void begin_exit(int code);

/// gasnet_exit: tells the supervisor, flushes stdio, ends this process at once without running atexit
/// handlers. Never hangs, whatever lock of stdio is held. The supervisor ends the other ranks unless they
/// follow.
[[noreturn]] void exit_job(int code);

/// What gasnet_exit(1) does, for a rank that received SIGQUIT: the line that ends the job says so. For signal
/// handlers.
[[noreturn]] void quit_job();

}  // namespace aqueduct::job
