// The segment: the memory of a rank that others may put to and get from, mapped by all of its neighbours.
#pragma once
#include <string>

#include "core/rank.hpp"

namespace aqueduct::core {

/// How large segments may be on this host for a job of `ranks`: from GASNET_MAX_SEGSIZE ("4GB", "0.5/H",
/// "512M/P"), by default 85 % of memory divided among the ranks. Page multiple.
std::size_t max_segment_bytes(RankId ranks);

/// The room in the address space of the shared memory that each rank's segment gets: all of memory, so that
/// every rank computes the same whatever its environment says.
std::size_t segment_span();

/// Collective: gives this rank a zeroed segment of `bytes` and maps those of all neighbours.
/// Answers a GASNET error code on every rank if any rank's request cannot be met, with the reason in
/// `*reason`.
int attach_segment(Rank& rank, std::uintptr_t bytes, std::string* reason);

/// Where [address, address + bytes) of `target`'s segment can be reached with plain loads and stores, or
/// null.
inline void* reach(const Objects& objects, RankId target, const void* address, std::size_t bytes) {
  const aq_peer_view_& view = objects.neighbour_views[target];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - view.base_;
  if (offset >= view.size_ || bytes > view.size_ - offset || !view.spare_) return nullptr;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(view.shift_));
}

}  // namespace aqueduct::core
