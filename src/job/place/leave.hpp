// How a rank leaves. exit_job() and fatal() need some facts about the job, which are kept per process. Any
// thread may call these two at any time, also inside a handler.
//
// The record belongs to the process and not to the rank, because gasnet_exit and fatal errors come from any
// thread, in any state, without a rank object. docs/architecture.md, "A rank is an object", lists other such
// state.
#pragma once

namespace aqueduct::job {

/// From now on exits and fatal errors are announced over `control_fd` (-1: there is no supervisor).
void remember_supervisor(int control_fd);

/// Tells the supervisor that a client uses this rank from now on, and later, if the rank calls exit() or
/// returns from main, says that too. Once a rank has left in any way but gasnet_exit, others may wait for
/// `timeout_ms` before the job ends; otherwise they might wait for ever.
void announce_leaving(int timeout_ms);

/// The first part of exit_job(): tells the supervisor and the neighbours that this rank leaves. What follows
/// may take time, because nobody waits for a rank that has announced its exit. (If a rank announced it only
/// after all its messages are delivered, it would seem to stay: others may have left already and acknowledge
/// nothing.) If another thread leaves already, this one waits for the end.
void begin_exit(int code);

/// gasnet_exit: tells the supervisor, flushes stdio, ends this process at once without running atexit
/// handlers. Never hangs, even if a lock of stdio is held. The supervisor ends the other ranks unless they
/// leave too.
[[noreturn]] void exit_job(int code);

/// What gasnet_exit(1) does, for a rank that received SIGQUIT: the line that ends the job says so. For signal
/// handlers.
[[noreturn]] void quit_job();

}  // namespace aqueduct::job
