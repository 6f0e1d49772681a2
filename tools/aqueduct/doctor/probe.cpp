#include "doctor/probe.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/clock.hpp"
#include "client.hpp"

namespace aqueduct::doctor {
namespace {

constexpr std::size_t kBlock = 16384;  ///< of each rank in each other: more than any packet holds

char fill_of(gex_Rank_t rank) { return static_cast<char>('a' + rank % 26); }

/// Puts a block into each other rank's segment, at this rank's place there.
void put_everywhere(gex_TM_t team) {
  const gex_Rank_t me = gex_TM_QueryRank(team);
  const std::vector<char> block(kBlock, fill_of(me));
  for (gex_Rank_t rank = 0; rank < gex_TM_QuerySize(team); ++rank) {
    void* segment = nullptr;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, rank, &segment, nullptr, nullptr, 0));
    gex_RMA_PutBlocking(team, rank, static_cast<char*>(segment) + me * kBlock,
                        const_cast<char*>(block.data()), kBlock, 0);
  }
}

bool all_is_here(const char* mine, gex_Rank_t ranks) {
  for (gex_Rank_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      if (mine[rank * kBlock + i] != fill_of(rank)) return false;
    }
  }
  return true;
}

}  // namespace

int run_probe() {
  gex_Client_t client = nullptr;
  gex_EP_t endpoint = nullptr;
  gex_TM_t team = nullptr;
  gex_Segment_t segment = nullptr;
  const std::uint64_t begin = machine_clock().now_ns();
  gex_Client_Init(&client, &endpoint, &team, "doctor", nullptr, nullptr, 0);
  const gex_Rank_t ranks = gex_TM_QuerySize(team);
  gex_Segment_Attach(&segment, team,
                     (ranks * kBlock + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE);
  const std::uint64_t started = machine_clock().now_ns();
  put_everywhere(team);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  const std::uint64_t ended = machine_clock().now_ns();
  const bool is_right = all_is_here(static_cast<const char*>(gex_Segment_QueryAddr(segment)), ranks);
  if (gex_TM_QueryRank(team) == 0) {
    fmt::print("{} ranks met after {:.0f} ms and reached each other within {:.1f} ms\n", ranks,
               static_cast<double>(started - begin) / 1e6, static_cast<double>(ended - started) / 1e6);
    std::fflush(stdout);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_exit(is_right ? 0 : 1);
}

}  // namespace aqueduct::doctor
