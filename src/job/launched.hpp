// The place of a rank that another launcher than ours has started (job/launchers/), or nobody in particular:
// plain environment variables.
//
//   1  Each rank tells all others its card through the launcher. So everybody knows who shares a host.
//   2  The first rank of each host starts its warden (job/warden/), where all ranks of the host enrol: they
//      get the memory that they share, and somebody who sees to it that they end together.
//   3  Where there are several hosts, rank 0 has told in a second exchange where their leaders find each
//      other. The warden of the first host serves that rendezvous.
//
// From there on nothing differs from a job that `aqueduct run` has started.
#pragma once
#include <optional>

#include "job/place/membership.hpp"

namespace aqueduct::job {

/// Nothing if no launcher has started this process, or it has started only this one. Fatal where a launcher
/// has and the others cannot be met.
std::optional<Membership> launched_place();

}  // namespace aqueduct::job
