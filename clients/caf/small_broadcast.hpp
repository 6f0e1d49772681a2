// Broadcasts of a few bytes where all members of the team share memory.
//
// Each member has a ring of slots in its segment, one cache line each. Members agree on the number of a
// broadcast, because all make the same collective calls. The source fills slot `number` of its own ring and
// then writes the number into it; the others wait for that number and copy. So the source waits for nobody,
// until it comes to a slot that it has used before: then all members must have taken the broadcast that was
// there, and say so by a count of their own, which the source reads once in a while.
//
// Who writes what: a slot, its owner; a count, its member. A slot is filled again only after all counts have
// passed it, so nobody reads what is being written.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::caf {

struct Team;

/// In the segment of each member, at the same offset. All zeros at first.
struct alignas(64) BroadcastRing {
  static constexpr std::size_t kSlots = 16;
  struct alignas(64) Slot {
    std::uint64_t number;  ///< of the broadcast that it holds; 0: none yet
    char bytes[56];
  };
  std::uint64_t taken;  ///< broadcasts that this member has taken part in
  Slot slots[kSlots];
};
inline constexpr std::size_t kLargestSmallBroadcast = sizeof(BroadcastRing::Slot::bytes);

/// Whether a broadcast of so many bytes goes this way.
bool is_small_broadcast(const Team& team, std::size_t bytes);
/// From `source` to all; false if an image of the team has departed instead, without having come to this
/// call.
bool broadcast_small(Team& team, int source, void* data, std::size_t bytes);

}  // namespace aqueduct::caf
