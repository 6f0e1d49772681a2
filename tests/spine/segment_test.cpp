// Segments: what attach gives, and who can reach it.
#include <cstring>
#include <vector>

#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Segments = Spmd;

uintptr_t max_local_before = 0, max_global_before = 0;
int attach_nothing = 0, attach_part_of_a_page = 0, attach_too_much = 0, attach_everything = 0,
    attach_nowhere = 0;
int table_before = 0;
int hook_calls = 0;
void* hooked_address = nullptr;
uintptr_t hooked_bytes = 0;
BeforeAttach observe_limits([] {
  max_local_before = gasnet_getMaxLocalSegmentSize();
  max_global_before = gasnet_getMaxGlobalSegmentSize();
  gasnet_client_attach_hook = [](void* address, uintptr_t bytes) {
    ++hook_calls;
    hooked_address = address;
    hooked_bytes = bytes;
  };
  const QuietErrors quiet;
  gex_Segment_t none = GEX_SEGMENT_INVALID;
  attach_nothing = gex_Segment_Attach(&none, job().tm, 0);
  attach_part_of_a_page = gex_Segment_Attach(&none, job().tm, GASNET_PAGESIZE + 1);
  attach_too_much = gex_Segment_Attach(&none, job().tm, max_local_before + GASNET_PAGESIZE);
  attach_everything = gex_Segment_Attach(&none, job().tm, ~uintptr_t{GASNET_PAGESIZE - 1});
  attach_nowhere = gex_Segment_Attach(nullptr, job().tm, GASNET_PAGESIZE);
  gasnet_seginfo_t table;
  table_before = gasnet_getSegmentInfo(&table, 1);
});

TEST_F(Segments, TheLimitsArePageMultiplesAndLocalIsAtLeastGlobal) {
  EXPECT_EQ(max_local_before % GASNET_PAGESIZE, 0u);
  EXPECT_EQ(max_global_before % GASNET_PAGESIZE, 0u);
  EXPECT_GE(max_local_before, max_global_before);
  EXPECT_GE(max_global_before, kSegmentBytes);
}

TEST_F(Segments, SizesThatCannotBeAreRefusedWithACodeAndAttachMayBeTriedAgain) {
  EXPECT_EQ(attach_nothing, GASNET_ERR_BAD_ARG);
  EXPECT_EQ(attach_part_of_a_page, GASNET_ERR_BAD_ARG);
  EXPECT_EQ(attach_too_much, GASNET_ERR_BAD_ARG);
  EXPECT_EQ(attach_everything, GASNET_ERR_BAD_ARG);
  EXPECT_EQ(attach_nowhere, GASNET_ERR_BAD_ARG);
  EXPECT_NE(job().segment, GEX_SEGMENT_INVALID) << "the attach that followed went well";
}

TEST_F(Segments, ThereIsNoTableOfSegmentsBeforeAttach) { EXPECT_EQ(table_before, GASNET_ERR_NOT_INIT); }

TEST_F(Segments, AttachGivesTheSizeThatWasAskedForOnAPageBoundary) {
  EXPECT_EQ(gex_Segment_QuerySize(job().segment), kSegmentBytes);
  const auto address = reinterpret_cast<uintptr_t>(gex_Segment_QueryAddr(job().segment));
  EXPECT_NE(address, 0u);
  EXPECT_EQ(address % GASNET_PAGESIZE, 0u);
}

TEST_F(Segments, TheClientsHookIsCalledOnceWithTheNewSegment) {
  EXPECT_EQ(hook_calls, 1);
  EXPECT_EQ(hooked_address, gex_Segment_QueryAddr(job().segment));
  EXPECT_EQ(hooked_bytes, kSegmentBytes);
}

TEST_F(Segments, TheWholeSegmentIsOursToReadAndWriteAndStartsAsZeros) {
  for (std::size_t at = 0; at < kSegmentBytes; at += GASNET_PAGESIZE) {
    ASSERT_EQ(std::to_integer<int>(*local(at)), 0);
    *local(at) = std::byte{1};
    *local(at + GASNET_PAGESIZE - 1) = std::byte{2};
  }
  for (std::size_t at = 0; at < kSegmentBytes; at += GASNET_PAGESIZE) ASSERT_EQ(*local(at), std::byte{1});
}

TEST_F(Segments, ASecondAttachIsRefused) {
  gex_Segment_t again = GEX_SEGMENT_INVALID;
  const QuietErrors quiet;
  EXPECT_EQ(gex_Segment_Attach(&again, job().tm, kSegmentBytes), GASNET_ERR_NOT_INIT);
  EXPECT_EQ(gex_EP_QuerySegment(job().ep), job().segment);
}

TEST_F(Segments, TheTableOfSegmentsAgreesWithTheOwners) {
  std::vector<gasnet_seginfo_t> table(job().size);
  ASSERT_EQ(gasnet_getSegmentInfo(table.data(), static_cast<int>(table.size())), GASNET_OK);
  EXPECT_EQ(table[job().rank].addr, gex_Segment_QueryAddr(job().segment));
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    void *owner = nullptr, *mine = nullptr;
    uintptr_t bytes = 0;
    ASSERT_EQ(gex_Segment_QueryBound(job().tm, rank, &owner, &mine, &bytes), GASNET_OK);
    EXPECT_EQ(table[rank].addr, owner);
    EXPECT_EQ(table[rank].size, bytes);
    EXPECT_EQ(bytes, kSegmentBytes);
  }
}

TEST_F(Segments, AskingForTooManySegmentsIsRefused) {
  std::vector<gasnet_seginfo_t> table(job().size + 1);
  const QuietErrors quiet;
  EXPECT_EQ(gasnet_getSegmentInfo(table.data(), static_cast<int>(job().size) + 1), GASNET_ERR_BAD_ARG);
}

TEST_F(Segments, TheNonblockingQueryAgreesWithTheBlockingOne) {
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    void *owner = nullptr, *mine = nullptr, *owner_now = nullptr;
    uintptr_t bytes = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(job().tm, rank, &owner, &mine, &bytes, 0));
    EXPECT_EQ(owner, remote(rank));
    EXPECT_EQ(bytes, kSegmentBytes);
    const gex_Event_t now =
        gex_EP_QueryBoundSegmentNB(job().tm, rank, &owner_now, nullptr, nullptr, GEX_FLAG_IMMEDIATE);
    ASSERT_NE(now, GEX_EVENT_NO_OP) << "an attached segment is known without communication";
    gex_Event_Wait(now);
    EXPECT_EQ(owner_now, owner);
  }
}

TEST_F(Segments, ANeighbourWritesThroughItsOwnAddressOfMySegment) {
  std::memset(local(), 0, 4096);
  barrier();
  gex_RankInfo_t* neighbours = nullptr;
  gex_Rank_t count = 0, me = 0;
  gex_System_QueryNbrhdInfo(&neighbours, &count, &me);
  for (gex_Rank_t i = 0; i < count; ++i) {
    void *owner = nullptr, *mine = nullptr;
    ASSERT_EQ(gex_Segment_QueryBound(job().tm, neighbours[i].gex_jobrank, &owner, &mine, nullptr), GASNET_OK);
    ASSERT_NE(mine, nullptr) << "rank " << neighbours[i].gex_jobrank
                             << " is a neighbour without a local address";
    if (neighbours[i].gex_jobrank == job().rank) {
      EXPECT_EQ(mine, owner);
    }
    // Each neighbour has 64 bytes of its own in every segment.
    fill(static_cast<std::byte*>(mine) + 64 * me, 64, key_of(job().rank, neighbours[i].gex_jobrank));
  }
  barrier();
  for (gex_Rank_t i = 0; i < count; ++i)
    EXPECT_TRUE(holds(local(64 * i), 64, key_of(neighbours[i].gex_jobrank, job().rank)));
}

TEST_F(Segments, ARankOutsideTheNeighbourhoodHasNoLocalAddress) {
  gex_RankInfo_t* neighbours = nullptr;
  gex_Rank_t count = 0;
  gex_System_QueryNbrhdInfo(&neighbours, &count, nullptr);
  for (gex_Rank_t rank = 0, at = 0; rank < job().size; ++rank) {
    while (at < count && neighbours[at].gex_jobrank < rank) ++at;
    const bool is_neighbour = at < count && neighbours[at].gex_jobrank == rank;
    void* mine = nullptr;
    ASSERT_EQ(gex_Segment_QueryBound(job().tm, rank, nullptr, &mine, nullptr), GASNET_OK);
    EXPECT_EQ(mine != nullptr, is_neighbour);
  }
}

}  // namespace
}  // namespace aqueduct::test
