// The segment: the memory of a rank that others may put to and get from, mapped by all of its neighbours.
#pragma once
#include <string>

#include "core/rank.hpp"

namespace aqueduct::core {

/// Collective: gives this rank a zeroed segment of `bytes` and maps those of all neighbours.
/// Answers a GASNET error code on every rank if any rank's request cannot be met, with the reason in
/// `*reason`.
int attach_segment(Rank& rank, std::uintptr_t bytes, std::string* reason);

/// A segment of this process, over memory of the client at `address` or, if that is null, over new zeroed
/// memory that neighbours can map. Null with a GASNET error code and a reason if it cannot be made.
Segment* create_segment(Client& client, void* address, std::uintptr_t bytes, int* error, std::string* reason);
/// The same on the device of a kind.
Segment* create_device_segment(Client& client, MemoryKind& kind, void* address, std::uintptr_t bytes,
                               int* error, std::string* reason);
/// What is left to do with such a segment when it is destroyed; frees memory of the library's.
void release_device_memory(Rank& rank, Segment& segment);
void destroy_segment(Rank& rank, Segment* segment);

/// Makes `segment` that of a local endpoint that has none.
void bind_segment(Rank& rank, Endpoint& endpoint, Segment& segment);

/// What a process tells others of a bound segment, and how they take note of it. `offset` is where neighbours
/// find it in the room of `owner`, plus one; 0 if they cannot map it.
struct Publication {
  gex_EP_Location_t owner;
  std::uintptr_t base;
  std::uintptr_t bytes;
  std::uint64_t offset;
  DevicePublication device;
};
Publication publication_of(const Rank& rank, const Endpoint& endpoint);
void take_note(Rank& rank, const Publication& publication);

/// Collective: no segments at all; all memory of every rank can be reached.
void go_without_segments(Rank& rank);

/// Where [address, address + bytes) of `target`'s segment can be reached with plain loads and stores, or
/// null. All of our own memory can where it may be named.
inline void* reach(const Objects& objects, RankId target, const void* address, std::size_t bytes,
                   gex_EP_Index_t endpoint = 0) {
  const aq_peer_view_ view =
      endpoint == 0 ? objects.neighbour_views[target] : objects.endpoints.segment_of({target, endpoint});
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - view.base_;
  if (offset >= view.size_ || bytes > view.size_ - offset || !view.is_mapped_) {
    const bool is_own = objects.reaches_everything(endpoint) && target == objects.world.view.rank_;
    return is_own ? const_cast<void*>(address) : nullptr;
  }
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(view.shift_));
}

}  // namespace aqueduct::core
