#include <vector>

#include "api/face.hpp"
#include "core/segment.hpp"
#include "gasnet.h"
#include "trace/trace.hpp"
#include "world/world.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

// The entries in the terms of gasnetex.h: handlers that take whatever comes.
std::vector<gex_AM_Entry_t> entries_of(const gasnet_handlerentry_t* table, int count) {
  std::vector<gex_AM_Entry_t> entries;
  for (int i = 0; i < count; ++i) {
    gex_AM_Entry_t entry{};
    entry.gex_index = table[i].index;
    entry.gex_fnptr = table[i].fnptr;
    entry.gex_flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP;
    entry.gex_nargs = core::kAnyNargs;
    entries.push_back(entry);
  }
  return entries;
}

/// The team of all ranks of the caller's simulated job, if it has begun.
gex_TM_t simulated_world() {
  core::Thread* const thread = world::is_simulated() ? core::current_thread() : nullptr;
  return thread ? to_handle(&thread->rank.objects().world) : GEX_TM_INVALID;
}

}  // namespace

extern "C" {

int aq_legacy_init_(int* argc, char*** argv, uint32_t client_config) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  return aq_client_init_(&client, &ep, &tm, "GASNET1", argc, argv, GEX_FLAG_USES_GASNET1, client_config);
}

int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize, uintptr_t) {
  constexpr const char* kWhere = "gasnet_attach";
  if (!aq_legacy_world_ && !simulated_world())
    return returned_error(kWhere, GASNET_ERR_NOT_INIT, "the library has not been started by gasnet_init");
  core::Objects& objects = core::this_thread(kWhere).rank.objects();
  if (objects.endpoint.segment)
    return returned_error(kWhere, GASNET_ERR_NOT_INIT, "a segment has been attached already");
  if (numentries < 0 || (numentries > 0 && !table))
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "there is no table of handlers");
  core::Rank& rank = *objects.client.rank;
  std::vector<gex_AM_Entry_t> entries = entries_of(table, numentries);
  std::string reason;
  int result = rank.handlers().add(entries.data(), entries.size(), &reason);
  if (result == GASNET_OK && rank.options().segmentless) {
    rank.bootstrap().barrier();
  } else if (result == GASNET_OK) {
    result = core::attach_segment(rank, segsize == 0 ? GASNET_PAGESIZE : segsize, &reason);
  }
  if (result != GASNET_OK) return returned_error(kWhere, result, reason);
  if (trace::on(trace::Category::kObject))
    trace::note(trace::Category::kObject, kWhere, segsize, "%d handlers, segment of %zu bytes at %p",
                numentries, objects.segment.size, objects.segment.base);
  for (int i = 0; i < numentries; ++i) table[i].index = entries[static_cast<std::size_t>(i)].gex_index;
  return GASNET_OK;
}

void gasnet_QueryGexObjects(gex_Client_t* client_p, gex_EP_t* endpoint_p, gex_TM_t* tm_p,
                            gex_Segment_t* segment_p) {
  core::Objects& objects = core::this_thread("gasnet_QueryGexObjects").rank.objects();
  if (client_p) *client_p = to_handle(&objects.client);
  if (endpoint_p) *endpoint_p = to_handle(&objects.endpoint);
  if (tm_p) *tm_p = to_handle(&objects.world);
  if (segment_p) *segment_p = to_handle(objects.endpoint.segment);
}

gex_TM_t aq_legacy_world_ = GEX_TM_INVALID;

gex_TM_t aq_no_legacy_world_(void) {
  if (gex_TM_t const team = simulated_world()) return team;
  fatal("gasnet_*", "GASNet-1 calls need gasnet_init, or gex_Client_Init with GEX_FLAG_USES_GASNET1");
}
}
