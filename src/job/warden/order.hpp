// How a warden tells a rank to leave with the job's code. A foreign launcher sees the ranks' own codes and
// reports the worst or the first one: a rank that SIGTERM ends would hide the code of the rank that has ended
// the job.
//
// So the warden queues a real-time signal with the code. The rank does what SIGTERM would make it do, and
// then ends with that code. A client that handles SIGTERM or SIGQUIT decides itself, as always.
#pragma once
#include <csignal>

namespace aqueduct::job::warden {

/// Few programs use the last real-time signals; without a handler this one ends the process.
inline int leave_signal() { return SIGRTMAX - 2; }

/// In a rank: obeys such orders from now on, unless the client has a handler for the signal.
void obey_orders();

/// In the warden: orders the process behind the descriptor to leave. False if the system does not allow it.
bool order_to_leave(int process_fd, int code);

}  // namespace aqueduct::job::warden
