#include "aqueduct/memory_kind.h"

#include "api/face.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

// GEX_MK_HOST is a constant that clients know; what is kept for it lies in the rank's objects.
core::MemoryKind& kind_of(const char* where, gex_MK_t kind) {
  if (kind == GEX_MK_INVALID) fatal(where, "the memory kind is not valid");
  if (kind == GEX_MK_HOST) return core::this_thread(where).rank.objects().host_memory;
  return *reinterpret_cast<core::MemoryKind*>(kind);
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
  if (args->gex_class != GEX_MK_CLASS_HOST) return bad("only memory of the host is supported");
  *kind_p = reinterpret_cast<gex_MK_t>(new core::MemoryKind{core::from_handle(client), nullptr});
  return GASNET_OK;
}

void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_MK_Destroy";
  not_in_handler(kWhere, core::this_thread(kWhere));
  if (flags) fatal(kWhere, "flags must be 0");
  if (kind == GEX_MK_HOST) fatal(kWhere, "GEX_MK_HOST cannot be destroyed");
  delete &kind_of(kWhere, kind);
}

gex_Client_t gex_MK_QueryClient(gex_MK_t kind) {
  return to_handle(kind_of("gex_MK_QueryClient", kind).client);
}
gex_MK_Class_t gex_MK_QueryClass(gex_MK_t kind) {
  (void)kind_of("gex_MK_QueryClass", kind);
  return GEX_MK_CLASS_HOST;
}
gex_Flags_t gex_MK_QueryFlags(gex_MK_t kind) {
  (void)kind_of("gex_MK_QueryFlags", kind);
  return 0;
}
void gex_MK_SetCData(gex_MK_t kind, const void* value) { kind_of("gex_MK_SetCData", kind).cdata = value; }
void* gex_MK_QueryCData(gex_MK_t kind) { return const_cast<void*>(kind_of("gex_MK_QueryCData", kind).cdata); }
}
