// Put and get in the three styles of completion, finished when they return.
#pragma once
#include <cstddef>
#include <ostream>

#include "support/spmd.hpp"

namespace aqueduct::test {

/// The part of `target`'s segment that belongs to `writer`: no two ranks write to the same one. Behind the
/// windows of all ranks there is room for one more, which is the owner's. With four ranks a window has three
/// mebibytes.
inline std::size_t window_bytes() {
  return kSegmentBytes / (job().size < 4 ? 5 : job().size + 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
}
inline std::byte* window(gex_Rank_t target, gex_Rank_t writer) {
  return remote(target, writer * window_bytes());
}
inline std::byte* beyond_windows(gex_Rank_t target) { return window(target, job().size); }

enum class Style { kBlocking, kEvent, kImplicit };

inline const char* style_name(Style style) {
  return style == Style::kBlocking ? "Blocking" : style == Style::kEvent ? "Event" : "Implicit";
}
inline void PrintTo(Style style, std::ostream* out) { *out << style_name(style); }

inline void put(Style style, gex_Rank_t rank, void* to, const void* from, std::size_t bytes) {
  switch (style) {
    case Style::kBlocking:
      EXPECT_EQ(gex_RMA_PutBlocking(job().tm, rank, to, from, bytes, 0), 0);
      break;
    case Style::kEvent:
      gex_Event_Wait(gex_RMA_PutNB(job().tm, rank, to, from, bytes, GEX_EVENT_DEFER, 0));
      break;
    case Style::kImplicit:
      EXPECT_EQ(gex_RMA_PutNBI(job().tm, rank, to, from, bytes, GEX_EVENT_DEFER, 0), 0);
      gex_NBI_Wait(GEX_EC_PUT, 0);
      break;
  }
}

inline void get(Style style, void* to, gex_Rank_t rank, void* from, std::size_t bytes) {
  switch (style) {
    case Style::kBlocking:
      EXPECT_EQ(gex_RMA_GetBlocking(job().tm, to, rank, from, bytes, 0), 0);
      break;
    case Style::kEvent:
      gex_Event_Wait(gex_RMA_GetNB(job().tm, to, rank, from, bytes, 0));
      break;
    case Style::kImplicit:
      EXPECT_EQ(gex_RMA_GetNBI(job().tm, to, rank, from, bytes, 0), 0);
      gex_NBI_Wait(GEX_EC_GET, 0);
      break;
  }
}

}  // namespace aqueduct::test
