// gex_Segment_Create, gex_EP_BindSegment, gex_EP_PublishBoundSegment and the queries about them.
#include "endpoints/world.hpp"

namespace aqueduct::test {
namespace {

using Segments = Spmd;

TEST_F(Segments, OfTheLibraryAreZeroedAndAtLeastAsLargeAsAskedFor) {
  for (const uintptr_t length : {uintptr_t{1}, uintptr_t{4096}, uintptr_t{100001}}) {
    gex_Segment_t segment = GEX_SEGMENT_INVALID;
    ASSERT_EQ(GASNET_OK, gex_Segment_Create(&segment, job().client, nullptr, length, GEX_MK_HOST, 0));
    EXPECT_GE(gex_Segment_QuerySize(segment), length);
    void* const base = gex_Segment_QueryAddr(segment);
    EXPECT_TRUE(all_bytes_are(base, length, 0));
    std::memset(base, 0xab, length);
    EXPECT_EQ(job().client, gex_Segment_QueryClient(segment));
    EXPECT_EQ(0u, gex_Segment_QueryFlags(segment));
    EXPECT_EQ(nullptr, gex_Segment_QueryCData(segment));
    gex_Segment_SetCData(segment, base);
    EXPECT_EQ(base, gex_Segment_QueryCData(segment));
    gex_Segment_Destroy(segment, 0);  // the next one gets fresh memory, perhaps in the same place
  }
}

TEST_F(Segments, OfTheClientAreItsMemoryAsItIs) {
  std::vector<unsigned char> memory = patterned(1001, 7);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  ASSERT_EQ(GASNET_OK, gex_Segment_Create(&segment, job().client, memory.data() + 1, 999, GEX_MK_HOST, 0));
  EXPECT_EQ(static_cast<void*>(memory.data() + 1), gex_Segment_QueryAddr(segment));
  EXPECT_EQ(999u, gex_Segment_QuerySize(segment));
  gex_Segment_Destroy(segment, 0);
  EXPECT_TRUE(holds(memory.data(), memory.size(), 7));
}

TEST_F(Segments, AreRefusedForArgumentsThatCannotBeRight) {
  const QuietErrors quiet;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  char memory[64];
  const uintptr_t most = gasnet_getMaxLocalSegmentSize();
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_Segment_Create(nullptr, job().client, nullptr, 4096, GEX_MK_HOST, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG,
            gex_Segment_Create(&segment, GEX_CLIENT_INVALID, nullptr, 4096, GEX_MK_HOST, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_Segment_Create(&segment, job().client, nullptr, 0, GEX_MK_HOST, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_Segment_Create(&segment, job().client, memory, 0, GEX_MK_HOST, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG,
            gex_Segment_Create(&segment, job().client, nullptr, most + 1, GEX_MK_HOST, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_Segment_Create(&segment, job().client, nullptr, 4096, GEX_MK_INVALID, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_Segment_Create(&segment, job().client, nullptr, 4096, GEX_MK_HOST, 1));
  EXPECT_EQ(GEX_SEGMENT_INVALID, segment);
}

TEST_F(Segments, AreBoundOnce) {
  const QuietErrors quiet;
  const gex_EP_t ep = world().ep[kLibrary];
  const gex_Segment_t segment = world().segment[kClient];
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_BindSegment(ep, segment, 0)) << "one is bound already";
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_BindSegment(GEX_EP_INVALID, segment, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_BindSegment(ep, GEX_SEGMENT_INVALID, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_BindSegment(ep, segment, 1));
  EXPECT_EQ(world().segment[kLibrary], gex_EP_QuerySegment(ep));
}

TEST_F(Segments, AreKnownToAllWhenPublished) {
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    for (const gex_EP_Index_t index : {kLibrary, kClient}) {
      void *owner = nullptr, *here = nullptr;
      uintptr_t size = 0;
      gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair(index), rank, &owner, &here, &size, 0));
      EXPECT_EQ(kCreatedBytes, size);
      EXPECT_NE(nullptr, owner);
      if (rank == job().rank) {
        EXPECT_EQ(gex_Segment_QueryAddr(world().segment[index]), owner);
        EXPECT_EQ(owner, here);
      }
      void* again = nullptr;
      EXPECT_EQ(0, gex_Segment_QueryBound(pair(index), rank, &again, nullptr, nullptr));
      EXPECT_EQ(owner, again);
    }
  }
  EXPECT_EQ(GASNET_OK, gex_EP_PublishBoundSegment(job().tm, nullptr, 0, 0));
  gex_EP_t some[] = {world().ep[0], world().ep[kClient]};
  EXPECT_EQ(GASNET_OK, gex_EP_PublishBoundSegment(job().tm, some, job().rank % 2 ? 1 : 2, 0));
}

TEST_F(Segments, AreUnknownBeforeTheyAreBoundOrPublished) {
  static gex_EP_t ep = [] {
    gex_EP_t made = GEX_EP_INVALID;
    (void)world();
    gex_EP_Create(&made, job().client, GEX_EP_CAPABILITY_RMA, 0);
    return made;
  }();
  const gex_EP_Index_t index = gex_EP_QueryIndex(ep);
  const gex_TM_t both = gex_TM_Pair(ep, index);
  auto size_at = [&](gex_Rank_t rank) {
    uintptr_t size = 77;
    EXPECT_EQ(GEX_EVENT_INVALID,
              gex_EP_QueryBoundSegmentNB(both, rank, nullptr, nullptr, &size, GEX_FLAG_IMMEDIATE));
    return size;
  };
  EXPECT_EQ(0u, size_at(right()));
  void* untouched = &ep;
  EXPECT_NE(0, gex_Segment_QueryBound(both, right(), &untouched, nullptr, nullptr));
  EXPECT_EQ(&ep, untouched);
  EXPECT_EQ(GASNET_OK, gex_EP_PublishBoundSegment(job().tm, &ep, 1, 0))
      << "without a segment it does nothing";
  gex_EP_BindSegment(ep, world().segment[kLibrary], 0);
  EXPECT_EQ(kCreatedBytes, size_at(job().rank));
  barrier();
  EXPECT_EQ(GASNET_OK, gex_EP_PublishBoundSegment(job().tm, &ep, 1, 0));
  EXPECT_EQ(kCreatedBytes, size_at(right()));
}

}  // namespace
}  // namespace aqueduct::test
