#include "api/face.hpp"
#include "core/segment.hpp"
#include "extended/publish.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace aqueduct::api {

core::Peer peer_of_pair(const char* where, gex_TM_t tm, gex_Rank_t rank) {
  const auto bits = reinterpret_cast<std::uintptr_t>(tm);
  const auto local = static_cast<gex_EP_Index_t>(bits >> 1);
  const auto remote = static_cast<gex_EP_Index_t>(bits >> 17);
  core::Rank& self = core::this_thread(where).rank;
  if (!self.objects().find_endpoint(local))
    fatal(where, "the pair names endpoint %u, which does not exist here", local);
  if (remote >= GASNET_MAXEPS) fatal(where, "the pair names endpoint %u, which cannot exist", remote);
  if (rank >= self.size()) fatal(where, "rank %u is outside the job, which has %u ranks", rank, self.size());
  return {rank, remote, local};
}

}  // namespace aqueduct::api

namespace {

int bad(const char* where, const char* why) { return returned_error(where, GASNET_ERR_BAD_ARG, why); }

}  // namespace

extern "C" {

int gex_EP_Create(gex_EP_t* ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_EP_Create";
  not_in_handler(kWhere, core::this_thread(kWhere));
  if (!ep_p) return bad(kWhere, "ep_p is NULL");
  if (!client) return bad(kWhere, "the client handle is not valid");
  if (capabilities == 0 || (capabilities & ~GEX_EP_CAPABILITY_ALL))
    return bad(kWhere, "capabilities must be a set of GEX_EP_CAPABILITY_*, and not empty");
  if (flags & ~GEX_FLAG_HINT_ACCEL_ALL) return bad(kWhere, "an unknown flag is set");
  check_handle(kWhere, client);
  auto endpoint = std::make_unique<core::Endpoint>();
  endpoint->client = core::from_handle(client);
  endpoint->capabilities = capabilities;
  endpoint->flags = flags;
  endpoint->handlers = std::make_unique<core::HandlerTable>();
  core::Endpoint* made = endpoint.get();
  if (!made->client->rank->objects().endpoints.add(std::move(endpoint))) {
    return returned_error(kWhere, GASNET_ERR_RESOURCE,
                          "a process has at most " + std::to_string(GASNET_MAXEPS) + " endpoints");
  }
  *ep_p = to_handle(made);
  return GASNET_OK;
}

int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_EP_BindSegment";
  core::Thread& thread = core::this_thread(kWhere);
  not_in_handler(kWhere, thread);
  if (!ep) return bad(kWhere, "the endpoint handle is not valid");
  if (!segment) return bad(kWhere, "the segment handle is not valid");
  if (flags) return bad(kWhere, "flags must be 0");
  check_handle(kWhere, ep);
  check_handle(kWhere, segment);
  core::Endpoint& endpoint = *core::from_handle(ep);
  if (endpoint.index == 0 && core::from_handle(segment)->card)
    return bad(kWhere, "the segment of the first endpoint must lie in the host's memory");
  if (endpoint.segment) return bad(kWhere, "a segment is bound to the endpoint already");
  if (endpoint.client != core::from_handle(segment)->client)
    return bad(kWhere, "they belong to different clients");
  core::bind_segment(thread.rank, endpoint, *core::from_handle(segment));
  return GASNET_OK;
}

int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t count, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_EP_PublishBoundSegment";
  core::Team& members = team(kWhere, tm);
  core::Thread& thread = core::this_thread(kWhere);
  not_in_handler(kWhere, thread);
  if (flags) fatal(kWhere, "flags must be 0");
  if (count && !eps) fatal(kWhere, "the list of endpoints is NULL");
  std::vector<const core::Endpoint*> endpoints;
  for (size_t i = 0; i < count; ++i) endpoints.push_back(&object(kWhere, eps[i], "endpoint"));
  extended::publish_segments(thread, members, endpoints);
  return GASNET_OK;
}

int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t* table, size_t count) {
  constexpr const char* kWhere = "gex_EP_RegisterHandlers";
  core::Endpoint& endpoint = object(kWhere, ep, "endpoint");
  not_in_handler(kWhere, core::this_thread(kWhere));
  if (count == 0) return GASNET_OK;
  if (!table) return returned_error(kWhere, GASNET_ERR_BAD_ARG, "the table is NULL");
  std::string reason;
  core::HandlerTable& handlers = endpoint.handlers ? *endpoint.handlers : endpoint.client->rank->handlers();
  const int result = handlers.add(table, count, &reason);
  if (trace::on(trace::Category::kObject))
    trace::note(trace::Category::kObject, kWhere, count, "%zu handlers", count);
  return result == GASNET_OK ? result : returned_error(kWhere, result, reason);
}

gex_Client_t gex_EP_QueryClient(gex_EP_t ep) {
  return to_handle(object("gex_EP_QueryClient", ep, "endpoint").client);
}
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep) { return object("gex_EP_QueryFlags", ep, "endpoint").flags; }
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep) {
  return to_handle(object("gex_EP_QuerySegment", ep, "endpoint").segment);
}
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep) { return object("gex_EP_QueryIndex", ep, "endpoint").index; }
void gex_EP_SetCData(gex_EP_t ep, const void* value) {
  object("gex_EP_SetCData", ep, "endpoint").cdata = value;
}
void* gex_EP_QueryCData(gex_EP_t ep) {
  return const_cast<void*>(object("gex_EP_QueryCData", ep, "endpoint").cdata);
}

gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owner_address_p,
                                       void** local_address_p, uintptr_t* size_p, gex_Flags_t) {
  constexpr const char* kWhere = "gex_EP_QueryBoundSegmentNB";
  const core::Peer owner = peer(kWhere, tm, rank);
  const core::Rank& self = core::this_thread(kWhere).rank;
  const aq_peer_view_ segment = self.objects().segment_of(owner.rank, owner.remote);
  const bool is_mapped = segment.is_mapped_ || owner.rank == self.id();
  const std::uintptr_t here = segment.base_ + static_cast<std::uintptr_t>(segment.shift_);
  if (owner_address_p) *owner_address_p = reinterpret_cast<void*>(segment.base_);
  if (local_address_p) *local_address_p = is_mapped ? reinterpret_cast<void*>(here) : nullptr;
  if (size_p) *size_p = segment.size_;
  return GEX_EVENT_INVALID;
}
}
