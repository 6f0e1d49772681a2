// How large the segments of live ranks may be, from GASNET_MAX_SEGSIZE and the memory of the host.
#pragma once
#include <cstddef>

#include "base/types.hpp"

namespace aqueduct::world {

/// How large a segment may be where `ranks` share the host: from GASNET_MAX_SEGSIZE ("4GB", "0.5/H",
/// "512M/P"), by default 85 % of memory divided among the ranks. Page multiple. Ends the job on a malformed
/// setting; one that the host cannot give is said once.
std::size_t max_segment_bytes(RankId ranks);

/// The setting from which max_segment_bytes() is computed, as the user or the client wrote it. Ranks must
/// agree on it, because clients are told one limit for all of them.
const char* max_segment_setting();

/// The room in the address space of the shared memory that each rank's segment gets: all of memory, so that
/// every rank computes the same whatever its environment says.
std::size_t segment_span();

}  // namespace aqueduct::world
