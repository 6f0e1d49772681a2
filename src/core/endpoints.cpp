#include "core/endpoints.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/fatal.hpp"
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

namespace {

// A table that lasts as long as the rank.
ZeroedArray<aq_peer_view_> own_views(Rank& rank, std::size_t items_before) {
  using Views = ZeroedArray<aq_peer_view_>;
  void* const memory = rank.world().segment_memory(Views::bytes_for(rank.size(), items_before));
  if (!memory) fatal("gex_Client_Init", "no address space for a table of %u ranks", rank.size());
  return {memory, rank.size(), items_before};
}

}  // namespace

void Objects::make_views(Rank& rank) {
  using Views = ZeroedArray<aq_peer_view_>;
  constexpr std::size_t kBefore = Views::kAwayFromPageStart;
  const void* const zeros =
      rank.neighbourhood() ? nullptr : rank.world().job_zeros(Views::bytes_for(rank.size(), kBefore));
  shares_views_ = zeros != nullptr;
  const auto views = [&](std::size_t items_before) {
    return zeros ? Views(const_cast<void*>(zeros), rank.size(), items_before) : own_views(rank, items_before);
  };
  peer_views = views(kBefore);
  near_views = views(kBefore);
  neighbour_views = views(0);
}

void Objects::own_neighbour_views(Rank& rank) {
  if (!std::exchange(shares_views_, false)) return;
  neighbour_views = own_views(rank, 0);
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
