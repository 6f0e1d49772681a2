#include "api/face.hpp"
#include "core/segment.hpp"

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

gex_Client_t gex_TM_QueryClient(gex_TM_t tm) {
  return to_handle(team("gex_TM_QueryClient", tm).endpoint->client);
}
gex_EP_t gex_TM_QueryEP(gex_TM_t tm) { return to_handle(team("gex_TM_QueryEP", tm).endpoint); }
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm) {
  (void)team("gex_TM_QueryFlags", tm);
  return 0;
}
gex_Rank_t gex_TM_QueryRank(gex_TM_t tm) { return team("gex_TM_QueryRank", tm).view.rank_; }
gex_Rank_t gex_TM_QuerySize(gex_TM_t tm) { return team("gex_TM_QuerySize", tm).view.size_; }
void gex_TM_SetCData(gex_TM_t tm, const void* value) { team("gex_TM_SetCData", tm).cdata = value; }
void* gex_TM_QueryCData(gex_TM_t tm) { return const_cast<void*>(team("gex_TM_QueryCData", tm).cdata); }

gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank) {
  return job_rank("gex_TM_TranslateRankToJobrank", tm, rank);
}
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t job_rank) {
  constexpr const char* kWhere = "gex_TM_TranslateJobrankToRank";
  const gex_Rank_t size = team(kWhere, tm).view.size_;
  if (job_rank >= size) fatal(kWhere, "rank %u is outside the job, which has %u ranks", job_rank, size);
  return job_rank;
}
gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t) {
  return {job_rank("gex_TM_TranslateRankToEP", tm, rank), 0};
}
}
