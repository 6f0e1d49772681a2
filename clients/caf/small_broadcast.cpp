#include "clients/caf/small_broadcast.hpp"

#include <algorithm>
#include <cstring>

#include "clients/caf/job.hpp"
#include "clients/caf/meeting.hpp"
#include "clients/caf/wait_name.hpp"

namespace aqueduct::caf {
namespace {

BroadcastRing& ring_of(const Team& team, int image) {
  return *reinterpret_cast<BroadcastRing*>(job.peers[team.rank_of(image)].here + offset_of(team.ring));
}

/// Waits for a condition that another member makes true in this broadcast.
template <class Condition>
bool wait_in_broadcast(const Team& team, Condition&& condition) {
  for (int looks = 0; looks < 200; ++looks)
    if (condition()) return true;
  const WaitName name("CO_BROADCAST");
  for (;;) {
    const std::uint32_t seen = departures();
    if (wait_unless_departed(seen, condition)) return true;
    if (find_absence(team, &TeamProgress::collectives, team.progress->collectives)) return condition();
  }
}

/// The broadcasts that all members have taken.
std::uint64_t taken_by_all(const Team& team) {
  std::uint64_t least = ~std::uint64_t{0};
  for (int image = 1; image <= team.size; ++image)
    least = std::min(least, __atomic_load_n(&ring_of(team, image).taken, __ATOMIC_ACQUIRE));
  return least;
}

}  // namespace

bool is_small_broadcast(const Team& team, std::size_t bytes) {
  return bytes <= kLargestSmallBroadcast && !job.has_network && !job.reports_failures && team.size > 1;
}

bool broadcast_small(Team& team, int source, void* data, std::size_t bytes) {
  const std::uint64_t number = team.ring->taken + 1;
  BroadcastRing::Slot& slot = ring_of(team, source).slots[number % BroadcastRing::kSlots];
  if (source == team.me) {
    // What was in this slot, if it was ours, is kSlots broadcasts old at least.
    const auto is_free = [&] {
      if (team.taken_by_all + BroadcastRing::kSlots < number) team.taken_by_all = taken_by_all(team);
      return team.taken_by_all + BroadcastRing::kSlots >= number;
    };
    if (!is_free() && !wait_in_broadcast(team, is_free)) return false;
    std::memcpy(slot.bytes, data, bytes);
    __atomic_store_n(&slot.number, number, __ATOMIC_RELEASE);
  } else {
    const auto has_come = [&] { return __atomic_load_n(&slot.number, __ATOMIC_ACQUIRE) == number; };
    if (!wait_in_broadcast(team, has_come)) return false;
    std::memcpy(data, slot.bytes, bytes);
  }
  __atomic_store_n(&team.ring->taken, number, __ATOMIC_RELEASE);
  return true;
}

}  // namespace aqueduct::caf
