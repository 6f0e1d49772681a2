#include "api/handles.hpp"

#include "api/face.hpp"
#include "extended/extended.hpp"

namespace aqueduct::api {
namespace {

core::Objects& objects_here(const char* where) {
  core::Rank* const rank = core::process_rank();
  if (!rank) fatal(where, "called before gex_Client_Init");
  return rank->objects();
}

void require(bool is_live, const char* where, const char* what, const void* handle) {
  if (!is_live)
    fatal(where, "the %s handle %p is not valid: there is no such %s, or no longer", what, handle, what);
}

}  // namespace

void look_up(const char* where, gex_TM_t tm) {
  core::Objects& objects = objects_here(where);
  const core::Team* const team = core::from_handle(tm);
  require(team == &objects.world || objects.teams.holds(team), where, "team", tm);
}

void look_up(const char* where, gex_EP_t endpoint) {
  core::Objects& objects = objects_here(where);
  const core::Endpoint* const inner = core::from_handle(endpoint);
  require(inner == &objects.endpoint || objects.endpoints.holds(inner), where, "endpoint", endpoint);
}

void look_up(const char* where, gex_Segment_t segment) {
  core::Objects& objects = objects_here(where);
  const core::Segment* const inner = core::from_handle(segment);
  require(inner == &objects.segment || objects.created_segments.holds(inner), where, "segment", segment);
}

void look_up(const char* where, gex_Client_t client) {
  require(core::from_handle(client) == &objects_here(where).client, where, "client", client);
}

void look_up(const char* where, gex_Event_t event) {
  const extended::Operation* const operation = extended::from_event(event);
  bool is_known = false;
  core::this_thread(where).rank.for_each_thread(
      [&](core::Thread& thread) { is_known |= extended::ops(thread).pool.holds(operation); });
  if (!is_known) fatal(where, "%p is not an event", static_cast<const void*>(event));
}

}  // namespace aqueduct::api

extern "C" gex_TM_t aq_team_(const char* where, gex_TM_t tm) {
  using namespace aqueduct;
  if (core::process_rank() && !api::is_pair(tm)) (void)api::team(where, tm);
  return tm;
}
