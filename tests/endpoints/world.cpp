#include "endpoints/world.hpp"

#include <memory>

namespace aqueduct::test {

const World& world() {
  static const World made = [] {
    static std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(kCreatedBytes);
    World world{};
    world.ep[0] = job().ep;
    world.segment[0] = job().segment;
    for (const gex_EP_Index_t index : {kLibrary, kClient}) {
      EXPECT_EQ(GASNET_OK, gex_EP_Create(&world.ep[index], job().client, GEX_EP_CAPABILITY_ALL, 0));
      EXPECT_EQ(GASNET_OK,
                gex_Segment_Create(&world.segment[index], job().client,
                                   index == kClient ? memory.get() : nullptr, kCreatedBytes, GEX_MK_HOST, 0));
      EXPECT_EQ(GASNET_OK, gex_EP_BindSegment(world.ep[index], world.segment[index], 0));
    }
    EXPECT_EQ(GASNET_OK, gex_EP_PublishBoundSegment(job().tm, &world.ep[1], 2, 0));
    return world;
  }();
  return made;
}

std::byte* created(gex_EP_Index_t index, gex_Rank_t rank, std::size_t offset) {
  void* base = nullptr;
  uintptr_t size = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair(index), rank, &base, nullptr, &size, 0));
  EXPECT_GT(size, offset);
  return static_cast<std::byte*>(base) + offset;
}

}  // namespace aqueduct::test
