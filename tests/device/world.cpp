#include "device/world.hpp"

#include <cstdlib>

namespace aqueduct::test {

gex_MK_Create_args_t device_args(int ordinal) {
  gex_MK_Create_args_t args{};
  if (std::getenv("AQUEDUCT_TEST_ZE")) {
    args.gex_class = GEX_MK_CLASS_ZE;
    auto& ze = args.gex_args.gex_class_ze;
    Cuda::find()->find_ze(ordinal, &ze.gex_zeDevice, &ze.gex_zeContext);
  } else if (std::getenv("AQUEDUCT_TEST_HIP")) {
    args.gex_class = GEX_MK_CLASS_HIP;
    args.gex_args.gex_class_hip.gex_hipDevice = ordinal;
  } else {
    args.gex_class = GEX_MK_CLASS_CUDA_UVA;
    args.gex_args.gex_class_cuda_uva.gex_CUdevice = ordinal;
  }
  return args;
}

const DeviceWorld& device_world() {
  static const DeviceWorld made = [] {
    DeviceWorld world;
    world.cuda = Cuda::find();
    if (!world.cuda) return world;
    const gex_MK_Create_args_t args = device_args(0);
    EXPECT_EQ(GASNET_OK, gex_MK_Create(&world.kind, job().client, &args, 0));
    world.ep[0] = job().ep;
    world.segment[0] = job().segment;
    void* by_hand = world.cuda->allocate_by_hand(kDeviceBytes, true);
    if (!by_hand) by_hand = world.cuda->allocate(kDeviceBytes);
    void* const memory[kEndpoints] = {nullptr, nullptr, world.cuda->allocate(kDeviceBytes), by_hand};
    for (gex_EP_Index_t index = 1; index < kEndpoints; ++index) {
      EXPECT_EQ(GASNET_OK, gex_Segment_Create(&world.segment[index], job().client, memory[index],
                                              kDeviceBytes, world.kind, 0));
      EXPECT_EQ(GASNET_OK, gex_EP_Create(&world.ep[index], job().client, GEX_EP_CAPABILITY_RMA, 0));
      EXPECT_EQ(GASNET_OK, gex_EP_BindSegment(world.ep[index], world.segment[index], 0));
    }
    EXPECT_EQ(GASNET_OK, gex_EP_PublishBoundSegment(job().tm, &world.ep[1], kEndpoints - 1, 0));
    return world;
  }();
  return made;
}

std::byte* on_device(gex_EP_Index_t index, gex_Rank_t rank, std::size_t offset) {
  void* base = nullptr;
  uintptr_t size = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(between(0, index), rank, &base, nullptr, &size, 0));
  EXPECT_GT(size, offset);
  return static_cast<std::byte*>(base) + offset;
}

}  // namespace aqueduct::test
