// Locks that images get in the order in which they have asked: those of jobs over a network, where who is
// nearest would otherwise win each time.
//
// The word of a lock has three parts: the ticket that is served, the ticket that is given out next, and the
// image that was served last, which only reports read. Asking takes a ticket (one atomic operation);
// unlocking serves the next one. Who holds which lock with which ticket is known to that image alone (a
// list), so that it sees its own errors without a message. An image that has died while it queues would never
// be passed, so that jobs that go on without it have the locks of lock.cpp.
#pragma once
#include "clients/caf/job.hpp"

namespace aqueduct::caf {

/// Whether the job's locks are these; the same on all images.
bool locks_are_fair();

/// Whether this image holds the lock at `place` of the rank's segment.
bool holds_fair_lock(gex_Rank_t rank, std::size_t place);
/// Waits for the lock. `statement`: LOCK or CRITICAL, for reports.
void take_fair_lock(gex_Rank_t rank, std::size_t place, const char* statement);
/// Takes it if it is free; whether it was.
bool try_fair_lock(gex_Rank_t rank, std::size_t place);
/// The image, counted in the initial team, that holds it; 0: nobody.
int holder_of_fair_lock(gex_Rank_t rank, std::size_t place);
/// Of a lock that this image holds.
void release_fair_lock(gex_Rank_t rank, std::size_t place);

}  // namespace aqueduct::caf
