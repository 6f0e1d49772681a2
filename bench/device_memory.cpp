#include "device_memory.hpp"

#include <gasnet_mk.h>

#include <algorithm>

#include "ze_device.hpp"

namespace aqueduct::bench {
namespace {

struct DeviceClass {
  const char* name;
  gex_MK_Class_t number;
};
constexpr DeviceClass kClasses[] = {
    {"cuda", GEX_MK_CLASS_CUDA_UVA}, {"hip", GEX_MK_CLASS_HIP}, {"ze", GEX_MK_CLASS_ZE}};

// A kind of the first device of that class, or of the first class that has one; invalid if there is none, of
// which the library has said why.
gex_MK_t make_kind(gex_Client_t client, const std::string& wanted) {
  gex_MK_t kind = GEX_MK_INVALID;
  for (const DeviceClass& each : kClasses) {
    if (!wanted.empty() && wanted != each.name) continue;
    gex_MK_Create_args_t args{};
    args.gex_class = each.number;
    if (each.number == GEX_MK_CLASS_ZE) {
      auto& ze = args.gex_args.gex_class_ze;
      if (!find_ze_device(&ze.gex_zeDevice, &ze.gex_zeContext) && wanted.empty()) continue;
    }
    if (gex_MK_Create(&kind, client, &args, 0) == GASNET_OK) return kind;
  }
  return GEX_MK_INVALID;
}

}  // namespace

DeviceMemory::DeviceMemory(Session& session, std::size_t bytes, const std::string& device_class)
    : host_(session.endpoint()) {
  const gex_Client_t client = gex_EP_QueryClient(host_);
  const gex_MK_t kind = make_kind(client, device_class);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  const bool is_there = kind != GEX_MK_INVALID &&
                        gex_Segment_Create(&segment, client, nullptr, bytes, kind, 0) == GASNET_OK &&
                        gex_EP_Create(&device_, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK &&
                        gex_EP_BindSegment(device_, segment, 0) == GASNET_OK;
  const auto there = session.gather(is_there);
  if (std::ranges::find(there, 0) != there.end())
    throw Unsuitable("a rank has no memory of a device; see `aqueduct doctor`");
  gex_EP_PublishBoundSegment(session.team(), &device_, 1, 0);
  mine_ = static_cast<std::byte*>(gex_Segment_QueryAddr(segment));
  for (gex_Rank_t rank = 0; rank < session.size(); ++rank) {
    void* base = nullptr;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(between(false, true), rank, &base, nullptr, nullptr, 0));
    of_rank_.push_back(static_cast<std::byte*>(base));
  }
}

gex_TM_t DeviceMemory::between(bool local_device, bool remote_device) const {
  return gex_TM_Pair(local_device ? device_ : host_,
                     remote_device ? gex_EP_QueryIndex(device_) : gex_EP_Index_t{0});
}

}  // namespace aqueduct::bench
