// The doorbells of processes, for clients that wait for Portals and for other things at once, and so cannot
// use PtlEQWait.
//
// The doorbell of a process is rung when a message for it has been sent and when an event has been posted to
// any queue of its interface. A thread that wakes looks at its queues itself: PtlEQGet makes progress. While
// a thread sleeps there it replaces the progress thread (nic/progress_thread.hpp). Others may ring as well,
// when something else has happened that the process may wait for.
//
// Threads: any. It lives as long as the process.
#pragma once
#include "base/doorbell.hpp"
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

/// The doorbell of the process on `node`, reached through the own interface `ni`. Null: it has none, as in a
/// simulation.
Doorbell* doorbell_of(ptl_handle_ni_t ni, NodeId node);

}  // namespace aqueduct::portals3
