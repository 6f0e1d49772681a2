#include "api/face.hpp"
#include "core/segment.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

extern "C" {

int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t* table, size_t count) {
  constexpr const char* kWhere = "gex_EP_RegisterHandlers";
  core::Endpoint& endpoint = object(kWhere, ep, "endpoint");
  not_in_handler(kWhere, core::this_thread(kWhere));
  if (count == 0) return GASNET_OK;
  if (!table) return returned_error(kWhere, GASNET_ERR_BAD_ARG, "the table is NULL");
  std::string reason;
  const int result = endpoint.client->rank->handlers().add(table, count, &reason);
  if (trace::on(trace::Category::kObject))
    trace::note(trace::Category::kObject, kWhere, count, "%zu handlers", count);
  return result == GASNET_OK ? result : returned_error(kWhere, result, reason);
}

gex_Client_t gex_EP_QueryClient(gex_EP_t ep) {
  return to_handle(object("gex_EP_QueryClient", ep, "endpoint").client);
}
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep) {
  (void)object("gex_EP_QueryFlags", ep, "endpoint");
  return 0;
}
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep) {
  return to_handle(object("gex_EP_QuerySegment", ep, "endpoint").segment);
}
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep) {
  (void)object("gex_EP_QueryIndex", ep, "endpoint");
  return 0;
}
void gex_EP_SetCData(gex_EP_t ep, const void* value) {
  object("gex_EP_SetCData", ep, "endpoint").cdata = value;
}
void* gex_EP_QueryCData(gex_EP_t ep) {
  return const_cast<void*>(object("gex_EP_QueryCData", ep, "endpoint").cdata);
}

gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owner_address_p,
                                       void** local_address_p, uintptr_t* size_p, gex_Flags_t) {
  constexpr const char* kWhere = "gex_EP_QueryBoundSegmentNB";
  const RankId target = job_rank(kWhere, tm, rank);
  const core::Objects& objects = core::from_handle(tm)->endpoint->client->rank->objects();
  const conduit::SegmentBounds& bounds = objects.bounds[target];
  void* base = reinterpret_cast<void*>(bounds.base);
  void* here = base && target == objects.world.view.rank_ ? base : core::reach(objects, target, base, 1);
  if (owner_address_p) *owner_address_p = base;
  if (local_address_p) *local_address_p = here;
  if (size_p) *size_p = bounds.size;
  return GEX_EVENT_INVALID;
}
}
