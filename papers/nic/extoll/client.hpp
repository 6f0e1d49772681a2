// What clients of VELO and RMA inside this library need beside velo2.h and rma2.h: where to sleep, whether
// messages have left, and error lines.
//
// A client calls the functions like any program. In a live process they use the job's fabric, in a simulated
// rank the card of its machine (card/machine.hpp).
#pragma once
#include "base/doorbell.hpp"
#include "fabric/fabric.hpp"
#include "rma2.h"
#include "velo2.h"

namespace aqueduct::extoll {

/// The doorbell of the process on `node`, for threads that wait for EXTOLL and for other things at once, and
/// so cannot use velo2_wait. It is rung when a message for the process was sent, and when something was put
/// into one of its mailboxes or notification queues; looking at these makes progress. Null: it has none, as
/// in a simulation.
///
/// After velo2_open or rma2_open. Threads: any.
Doorbell* doorbell_of(fabric::NodeId node);

/// Changes with every message, credit and notification that comes for this process.
std::uint64_t activity();

/// Whether the mailbox has a message or a part of one. Makes no progress and costs nothing, for callers that
/// go on taking messages after a first one.
bool has_message(const velo2_port_t& port);

/// Whether the network has taken all messages of this process, also those that the library sends by itself.
bool has_all_left();

/// Ends the job unless the code is success; the line names the client and the call.
void check(const char* client, velo2_ret_t code, const char* what);
void check(const char* client, RMA2_ERROR code, const char* what);

}  // namespace aqueduct::extoll
