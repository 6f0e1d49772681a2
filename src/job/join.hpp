// How a process finds its place in a job.
//
// The first call finds the place; later calls return the same.
#pragma once
#include "job/place/membership.hpp"

namespace aqueduct::job {

/// Reads the place that a supervisor prepared (job/place/variables.hpp), or starts AQUEDUCT_RANKS /
/// GASNET_PSHM_NODES ranks (bound as AQUEDUCT_BIND and tagged as AQUEDUCT_TAG say), or makes a job of one.
/// Ends the process with one line on a malformed or excessive count. Installs the failure sink
/// (base/fatal.hpp) and makes stdout line-buffered where the supervisor reads it.
const Membership& join();

}  // namespace aqueduct::job
