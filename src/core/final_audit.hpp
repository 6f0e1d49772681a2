// The audit at the end of a live job: that each rank has given back what it held for messages and operations.
//
// When all ranks have called gasnet_exit(0) they go on to take what is under way, without handlers of their
// client, until each holds what it held when its conduit was opened, and what ranks have of each other is
// what they have lent (observe/resources.hpp). If that has not come about after AQUEDUCT_AUDIT seconds, ten
// by default in debug builds of the library, the job ends with a line that names rank and resource. A
// simulated job is audited by itself (sim/simulated_job.hpp).
//
// There is none where that is 0, as it is by default in other builds; nor if the ranks do not all leave in
// this way within a second, if a rank has several threads or leaves in a handler, or if the job goes on when
// ranks have died.
#pragma once
#include "core/rank.hpp"

namespace aqueduct::core {

/// By the thread that calls gasnet_exit(0), before others know of it.
void audit_at_end(Rank& rank);

}  // namespace aqueduct::core
