// What clients of VELO and RMA inside this library need beside velo2.h and rma2.h: where to sleep, whether
// what was sent has left, and the words for what goes wrong.
//
// A client calls the functions like any program. In a process they are the live job's, in a simulated rank
// those of the card that its machine has (card/machine.hpp): nobody has to be told which.
#pragma once
#include "base/doorbell.hpp"
#include "fabric/fabric.hpp"
#include "rma2.h"
#include "velo2.h"

namespace aqueduct::extoll {

/// Where a thread of the process on `node` sleeps that waits for EXTOLL and for other things at once, and so
/// cannot use velo2_wait. It is rung when a message for the process was sent, and when something was put into
/// a mailbox or notification queue of its own; looks at these move what has come. Null: it has none, as in a
/// simulation.
///
/// After velo2_open or rma2_open. Threads: any.
Doorbell* doorbell_of(fabric::NodeId node);

/// Changes with every message, credit and notification that comes for this process.
std::uint64_t activity();

/// Whether a message is in the mailbox, or partly. Moves nothing and costs nothing: for whoever goes on
/// taking messages after one that was found by a look.
bool has_message(const velo2_port_t& port);

/// Whether the network has taken all that this process has sent, also by itself.
bool has_all_left();

/// Ends the job unless the code is that of success; says for whom and of what.
void check(const char* client, velo2_ret_t code, const char* what);
void check(const char* client, RMA2_ERROR code, const char* what);

}  // namespace aqueduct::extoll
