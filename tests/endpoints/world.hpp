// Two endpoints beside the first, with segments, known to all ranks. They are made once, since endpoints
// last.
#pragma once
#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {

inline constexpr std::size_t kCreatedBytes = std::size_t{1} << 20;

/// The endpoint whose segment is memory of the library / of the client.
inline constexpr gex_EP_Index_t kLibrary = 1;
inline constexpr gex_EP_Index_t kClient = 2;

struct World {
  gex_EP_t ep[3];
  gex_Segment_t segment[3];
};
/// Collective on first use.
const World& world();

/// The pair that connects equal endpoints of two processes.
inline gex_TM_t pair(gex_EP_Index_t index) { return gex_TM_Pair(world().ep[index], index); }

/// Where the segment of an endpoint of job rank `rank` begins, plus `offset`.
std::byte* created(gex_EP_Index_t index, gex_Rank_t rank, std::size_t offset = 0);

}  // namespace aqueduct::test
