// How a warden tells a rank to leave with the job's code. A supervisor's own code is what its caller sees; a
// rank that another launcher has started is seen itself, and launchers report the worst or the first code:
// one that was ended by SIGTERM would hide the code of the rank that has ended the job.
//
// So the warden queues a real-time signal with the code. The rank does what SIGTERM would make it do, and
// then ends with that code. A client that handles SIGTERM or SIGQUIT decides itself, as always.
#pragma once
#include <csignal>

namespace aqueduct::job::warden {

/// Few use the last ones, and nobody who has not installed a handler is surprised: it ends the process.
inline int leave_signal() { return SIGRTMAX - 2; }

/// In a rank: obeys from now on, unless the client has a handler for the signal.
void obey_orders();

/// In the warden: to the process behind the descriptor. False if the system does not allow it.
bool order_to_leave(int process_fd, int code);

}  // namespace aqueduct::job::warden
