// gex_EP_Create and what an endpoint says about itself; memory kinds.
#include <gasnet_mk.h>

#include <set>

#include "endpoints/world.hpp"

namespace aqueduct::test {
namespace {

using Endpoints = Spmd;

TEST_F(Endpoints, KnowTheirClientIndexFlagsAndData) {
  EXPECT_EQ(0, gex_EP_QueryIndex(job().ep));
  for (const gex_EP_Index_t index : {kLibrary, kClient}) {
    const gex_EP_t ep = world().ep[index];
    EXPECT_EQ(index, gex_EP_QueryIndex(ep));
    EXPECT_EQ(job().client, gex_EP_QueryClient(ep));
    EXPECT_EQ(0u, gex_EP_QueryFlags(ep));
    EXPECT_EQ(world().segment[index], gex_EP_QuerySegment(ep));
    EXPECT_EQ(nullptr, gex_EP_QueryCData(ep));
    int here = 0;
    gex_EP_SetCData(ep, &here);
    EXPECT_EQ(&here, gex_EP_QueryCData(ep));
    gex_EP_SetCData(ep, nullptr);
  }
}

TEST_F(Endpoints, AreRefusedForArgumentsThatCannotBeRight) {
  const QuietErrors quiet;
  gex_EP_t ep = GEX_EP_INVALID;
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_Create(nullptr, job().client, GEX_EP_CAPABILITY_RMA, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_Create(&ep, GEX_CLIENT_INVALID, GEX_EP_CAPABILITY_RMA, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_Create(&ep, job().client, 0, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_Create(&ep, job().client, GEX_EP_CAPABILITY_ALL + 1, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_EP_Create(&ep, job().client, GEX_EP_CAPABILITY_RMA, 1u << 20));
  EXPECT_EQ(GEX_EP_INVALID, ep);
}

// Uses up all endpoints, so its file is the last of the program.
TEST_F(Endpoints, AreRefusedBeyondTheLimit) {
  (void)world();
  const QuietErrors quiet;
  std::set<gex_EP_Index_t> seen{0, kLibrary, kClient};
  gex_EP_t ep = GEX_EP_INVALID;
  int result;
  while ((result = gex_EP_Create(&ep, job().client, GEX_EP_CAPABILITY_AM, GEX_FLAG_HINT_ACCEL_ALL)) ==
         GASNET_OK) {
    ASSERT_TRUE(seen.insert(gex_EP_QueryIndex(ep)).second) << "indices are unique";
    EXPECT_EQ(GEX_FLAG_HINT_ACCEL_ALL, gex_EP_QueryFlags(ep));
    EXPECT_EQ(GEX_SEGMENT_INVALID, gex_EP_QuerySegment(ep));
  }
  EXPECT_EQ(GASNET_ERR_RESOURCE, result);
  EXPECT_EQ(GASNET_MAXEPS - 1, *seen.rbegin());
  EXPECT_EQ(GASNET_MAXEPS - 1, gex_EP_QueryIndex(ep)) << "a refused call leaves its output as it was";
}

using MemoryKinds = Spmd;

// Those of devices that there may be are in tests/device.
TEST_F(MemoryKinds, OfClassesWithoutADriverAreRefusedAndTheHostsWork) {
  gex_MK_Create_args_t args{};
  gex_MK_t kind = GEX_MK_INVALID;
  {
    const QuietErrors quiet;
    args.gex_class = GEX_MK_CLASS_ZE;  // without its driver, or without a device of it
    EXPECT_NE(GASNET_OK, gex_MK_Create(&kind, job().client, &args, 0));
    EXPECT_EQ(GEX_MK_INVALID, kind);
  }
  args.gex_class = GEX_MK_CLASS_HOST;
  ASSERT_EQ(GASNET_OK, gex_MK_Create(&kind, job().client, &args, 0));
  int here = 0;
  for (const gex_MK_t each : {kind, GEX_MK_HOST}) {
    EXPECT_EQ(job().client, gex_MK_QueryClient(each));
    EXPECT_EQ(GEX_MK_CLASS_HOST, gex_MK_QueryClass(each));
    EXPECT_EQ(0u, gex_MK_QueryFlags(each));
    EXPECT_EQ(nullptr, gex_MK_QueryCData(each));
    gex_MK_SetCData(each, &here);
    EXPECT_EQ(&here, gex_MK_QueryCData(each));
    gex_MK_SetCData(each, nullptr);
  }
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  ASSERT_EQ(GASNET_OK, gex_Segment_Create(&segment, job().client, nullptr, 4096, kind, 0));
  gex_Segment_Destroy(segment, 0);
  gex_MK_Destroy(kind, 0);
}

}  // namespace
}  // namespace aqueduct::test
