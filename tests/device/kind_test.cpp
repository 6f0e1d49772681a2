// Kinds of device memory, and segments of them: what they say of themselves, and what is refused.
#include "device/world.hpp"

namespace aqueduct::test {
namespace {

using Kinds = Devices;

TEST_F(Kinds, KnowTheirClass) {
  const gex_MK_t kind = device_world().kind;
  EXPECT_EQ(device_args(0).gex_class, gex_MK_QueryClass(kind));
  EXPECT_EQ(job().client, gex_MK_QueryClient(kind));
  EXPECT_EQ(0u, gex_MK_QueryFlags(kind));
  EXPECT_EQ(nullptr, gex_MK_QueryCData(kind));
}

TEST_F(Kinds, CanBeMadeAndDestroyedAgain) {
  for (int i = 0; i < 3; ++i) {
    gex_MK_t kind = GEX_MK_INVALID;
    const gex_MK_Create_args_t args = device_args(0);
    ASSERT_EQ(GASNET_OK, gex_MK_Create(&kind, job().client, &args, 0));
    gex_Segment_t segment = GEX_SEGMENT_INVALID;
    ASSERT_EQ(GASNET_OK, gex_Segment_Create(&segment, job().client, nullptr, 100'000, kind, 0));
    EXPECT_LE(100'000u, gex_Segment_QuerySize(segment));
    gex_Segment_Destroy(segment, 0);
    gex_MK_Destroy(kind, 0);
  }
}

TEST_F(Kinds, OfADeviceThatIsNotThereAreRefused) {
  const QuietErrors quiet;
  for (const int ordinal : {-1, 1000}) {
    gex_MK_t kind = GEX_MK_INVALID;
    const gex_MK_Create_args_t args = device_args(ordinal);
    EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_MK_Create(&kind, job().client, &args, 0));
    EXPECT_EQ(GEX_MK_INVALID, kind);
  }
}

TEST_F(Kinds, RefuseMemoryThatIsNotTheDevices) {
  const QuietErrors quiet;
  const gex_MK_t kind = device_world().kind;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  std::vector<char> host(4096);
  EXPECT_EQ(GASNET_ERR_BAD_ARG,
            gex_Segment_Create(&segment, job().client, host.data(), host.size(), kind, 0));
  void* const memory = cuda().allocate(std::size_t{2} << 20);
  EXPECT_EQ(GASNET_ERR_BAD_ARG,
            gex_Segment_Create(&segment, job().client, memory, std::size_t{1} << 40, kind, 0));
  EXPECT_EQ(GASNET_ERR_BAD_ARG, gex_Segment_Create(&segment, job().client, nullptr, 0, kind, 0));
  EXPECT_EQ(GASNET_ERR_RESOURCE,
            gex_Segment_Create(&segment, job().client, nullptr, std::size_t{1} << 50, kind, 0));
  EXPECT_EQ(GEX_SEGMENT_INVALID, segment);
}

TEST_F(Kinds, HaveSegmentsThatKnowWhereTheyAre) {
  const DeviceWorld& world = device_world();
  for (gex_EP_Index_t index = 1; index < kEndpoints; ++index) {
    void* base = nullptr;
    void* here = nullptr;
    uintptr_t size = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(between(0, index), job().rank, &base, &here, &size, 0));
    EXPECT_EQ(gex_Segment_QueryAddr(world.segment[index]), base);
    EXPECT_EQ(kDeviceBytes, size);
    EXPECT_EQ(world.segment[index], gex_EP_QuerySegment(world.ep[index]));
    if (right() == job().rank) continue;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(between(0, index), right(), nullptr, &here, nullptr, 0));
    EXPECT_EQ(nullptr, here) << "others' devices are not mapped for loads and stores";
  }
}

}  // namespace
}  // namespace aqueduct::test
