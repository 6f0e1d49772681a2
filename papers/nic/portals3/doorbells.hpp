// Where a client sleeps that waits for Portals and for other things at once, and so cannot use PtlEQWait.
//
// The doorbell of a process is rung when a message for it has been sent and when an event has been posted to
// any queue of its interface. Who is woken looks at its queues itself: PtlEQGet moves what has come. While
// a thread sleeps there it stands in for the progress thread (nic/progress_thread.hpp). Others may ring too,
// to say that something else has happened that the process may wait for.
//
// Threads: any. It lives as long as the process.
#pragma once
#include "base/doorbell.hpp"
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

/// Of the process on `node`, reached through our interface `ni`. Null: it has none, as in a simulation.
Doorbell* doorbell_of(ptl_handle_ni_t ni, NodeId node);

}  // namespace aqueduct::portals3
