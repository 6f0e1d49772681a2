#include "aqueduct/memory_kind.h"

#include "api/face.hpp"
#include "extended/device/transfers.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

// GEX_MK_HOST is a constant that clients know; what is kept for it lies in the rank's objects.
core::MemoryKind& kind_of(const char* where, gex_MK_t kind) {
  if (kind == GEX_MK_INVALID) fatal(where, "the memory kind is not valid");
  if (kind == GEX_MK_HOST) return core::this_thread(where).rank.objects().host_memory;
  return *reinterpret_cast<core::MemoryKind*>(kind);
}

// Which device a kind is to be of. False for a class that there is no driver for.
bool find_device(const gex_MK_Create_args_t& args, device::Family* family, device::DeviceChoice* choice) {
  switch (args.gex_class) {
    case GEX_MK_CLASS_CUDA_UVA:
      *family = device::Family::kCuda;
      choice->ordinal = args.gex_args.gex_class_cuda_uva.gex_CUdevice;
      return true;
    case GEX_MK_CLASS_HIP:
      *family = device::Family::kHip;
      choice->ordinal = args.gex_args.gex_class_hip.gex_hipDevice;
      return true;
    case GEX_MK_CLASS_ZE:
      *family = device::Family::kZe;
      choice->device = args.gex_args.gex_class_ze.gex_zeDevice;
      choice->context = args.gex_args.gex_class_ze.gex_zeContext;
      choice->memory = args.gex_args.gex_class_ze.gex_zeMemoryOrdinal;
      return true;
    default:
      return false;
  }
}

}  // namespace

extern "C" {

int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                  gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_MK_Create";
  auto bad = [](const char* why) { return returned_error(kWhere, GASNET_ERR_BAD_ARG, why); };
  not_in_handler(kWhere, core::this_thread(kWhere));
  if (!kind_p || !args) return bad("a pointer is NULL");
  if (!client) return bad("the client handle is not valid");
  if (flags || args->gex_flags) return bad("flags must be 0");
  core::Client& owner = *core::from_handle(client);
  if (args->gex_class == GEX_MK_CLASS_HOST) {
    *kind_p = reinterpret_cast<gex_MK_t>(new core::MemoryKind{&owner});
    return GASNET_OK;
  }
  device::Family family;
  device::DeviceChoice choice;
  if (!find_device(*args, &family, &choice)) return bad("the class is none that this library knows");
  core::Rank& rank = *owner.rank;
  if (rank.is_simulated()) return bad("a simulated machine has no devices");
  std::string why;
  int error = GASNET_ERR_RESOURCE;
  core::DeviceMemory& devices = rank.objects().devices_of(rank);
  device::Card* const card = devices.open(family, choice, &error, &why);
  if (!card) return returned_error(kWhere, error, why);
  (void)extended::device_memory::transfers(rank);  // made here, since handlers cannot
  *kind_p = reinterpret_cast<gex_MK_t>(new core::MemoryKind{&owner, nullptr, args->gex_class, card});
  return GASNET_OK;
}

void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_MK_Destroy";
  not_in_handler(kWhere, core::this_thread(kWhere));
  if (flags) fatal(kWhere, "flags must be 0");
  if (kind == GEX_MK_HOST) fatal(kWhere, "GEX_MK_HOST cannot be destroyed");
  core::MemoryKind& doomed = kind_of(kWhere, kind);
  if (const std::uint32_t segments = doomed.segments.load(std::memory_order_relaxed); segments != 0)
    fatal(kWhere, "%u segments of the kind exist; destroy them first", segments);
  if (doomed.card) doomed.client->rank->objects().devices()->close(*doomed.card);
  delete &doomed;
}

gex_Client_t gex_MK_QueryClient(gex_MK_t kind) {
  return to_handle(kind_of("gex_MK_QueryClient", kind).client);
}
gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind) { return kind_of("gex_MK_QueryClass", kind).kind_class; }
gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind) {
  (void)kind_of("gex_MK_QueryFlags", kind);
  return 0;
}
void gex_MK_SetCData(gex_MK_t kind, const void* value) { kind_of("gex_MK_SetCData", kind).cdata = value; }
void* gex_MK_QueryCData(gex_MK_t kind) { return const_cast<void*>(kind_of("gex_MK_QueryCData", kind).cdata); }
}
