// What clients of uGNI inside this library need beside gni_pub.h: where to sleep, and the words for what goes
// wrong.
//
// A client calls the GNI functions like any program. In a process they are the live job's, in a simulated
// rank those of the interface that its machine has (aries/rank_machine.hpp): nobody has to be told which.
#pragma once
#include "base/doorbell.hpp"
#include "fabric/fabric.hpp"
#include "gni_pub.h"

namespace aqueduct::ugni {

/// Where a thread of the process on `node` sleeps that waits for uGNI and for other things at once, and so
/// cannot use GNI_CqWaitEvent. It is rung when a message for the process was sent, and when an event was
/// posted to any queue of its own; GNI_CqGetEvent moves what has come. Null: it has none, as in a simulation.
///
/// After GNI_CdmCreate. Threads: any.
Doorbell* doorbell_of(fabric::NodeId node);

/// Ends the job unless `code` is GNI_RC_SUCCESS; says for whom and of what.
void check(const char* client, gni_return_t code, const char* what);

}  // namespace aqueduct::ugni
