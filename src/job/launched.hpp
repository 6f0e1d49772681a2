// The place of a rank that a foreign launcher has started (job/launchers/), or that plain environment
// variables describe.
//
//   1  Each rank sends its card to all others through the launcher, so that all know which ranks share a
//      host.
//   2  The first rank of each host starts its warden (job/warden/), at which all ranks of the host enrol: it
//      gives them shared memory and ends them together.
//   3  With several hosts, rank 0 tells in a second exchange where their leaders meet; the warden of the
//      first host serves that rendezvous.
//
// Afterwards the job is like one that `aqueduct run` has started.
#pragma once
#include <optional>

#include "job/place/membership.hpp"

namespace aqueduct::job {

/// Nothing if no launcher has started this process, or it has started only this one. Fatal if the ranks
/// cannot meet.
std::optional<Membership> launched_place();

}  // namespace aqueduct::job
