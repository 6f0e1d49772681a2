#include "core/endpoints.hpp"

#include <algorithm>
#include <mutex>

#include "core/objects.hpp"
#include "core/rank.hpp"

namespace aqueduct::core {

EndpointTable::EndpointTable() = default;
EndpointTable::~EndpointTable() = default;

bool EndpointTable::add(std::unique_ptr<Endpoint> endpoint) {
  const std::lock_guard guard(lock_);
  if (next_ == endpoints_.size()) return false;
  endpoint->index = next_;
  endpoints_[next_++] = std::move(endpoint);
  return true;
}

Endpoint* EndpointTable::find(gex_EP_Index_t index) const {
  const std::lock_guard guard(lock_);
  return index < next_ ? endpoints_[index].get() : nullptr;
}

bool EndpointTable::holds(const Endpoint* endpoint) const {
  const std::lock_guard guard(lock_);
  return endpoint &&
         std::ranges::any_of(endpoints_, [&](const auto& candidate) { return candidate.get() == endpoint; });
}

aq_peer_view_ EndpointTable::segment_of(gex_EP_Location_t owner) const {
  const std::lock_guard guard(lock_);
  const auto found = segments_.find(owner);
  return found == segments_.end() ? aq_peer_view_{} : found->second;
}

void EndpointTable::set_segment(gex_EP_Location_t owner, const aq_peer_view_& view) {
  const std::lock_guard guard(lock_);
  segments_[owner] = view;
}

void refresh_peer_views(const Rank& rank, const Objects& objects, Team& team) {
  // Copies from and to a device are the library's.
  const bool is_on_device = team.endpoint && team.endpoint->segment && team.endpoint->segment->card;
  for (gex_Rank_t member = 0; member < team.peer_views.size(); ++member) {
    const gex_EP_Location_t where = team.members[member];
    const aq_peer_view_ view = objects.segment_of(where.gex_rank, where.gex_ep_index);
    team.near_views[member] = rank.may_inline() && view.is_mapped_ && !is_on_device ? view : aq_peer_view_{};
    team.peer_views[member] =
        rank.is_left_to_header(where.gex_rank) ? team.near_views[member] : aq_peer_view_{};
  }
}

}  // namespace aqueduct::core
