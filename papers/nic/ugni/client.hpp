// What clients of uGNI inside this library need beside gni_pub.h: where to sleep, and error lines.
//
// A client calls the GNI functions like any program. In a live process they use the job's fabric, in a
// simulated rank the interface of its machine (aries/rank_machine.hpp).
#pragma once
#include "base/doorbell.hpp"
#include "fabric/fabric.hpp"
#include "gni_pub.h"

namespace aqueduct::ugni {

/// The doorbell of the process on `node`, for threads that wait for uGNI and for other things at once, and so
/// cannot use GNI_CqWaitEvent. It is rung when a message for the process was sent, and when an event was
/// posted to one of its queues; GNI_CqGetEvent makes progress. Null: it has none, as in a simulation.
///
/// After GNI_CdmCreate. Threads: any.
Doorbell* doorbell_of(fabric::NodeId node);

/// Ends the job unless `code` is GNI_RC_SUCCESS; the line names the client and the call.
void check(const char* client, gni_return_t code, const char* what);

}  // namespace aqueduct::ugni
