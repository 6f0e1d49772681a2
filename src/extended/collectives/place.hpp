// What a team of neighbours has in shared memory: each member lends it the same one of its places
// (board_places.hpp), and this is what lies in each. Who writes what: see the class that uses it.
#pragma once
#include "core/neighbourhood.hpp"
#include "extended/board_barrier.hpp"
#include "extended/collectives/shared_blocks.hpp"
#include "extended/dissemination_barrier.hpp"

namespace aqueduct::core {
class Rank;
struct Team;
}  // namespace aqueduct::core

namespace aqueduct::extended::collectives {

/// Teams with more members do without.
inline constexpr gex_Rank_t kMostMembers = 64;

/// In each row of the compact board a stamp and a word for each member; in each of the wide one, a stamp and
/// data of one member.
inline constexpr std::uint32_t kCompactRows = 2;
inline constexpr gex_Rank_t kMostCompact = 16;
inline constexpr std::size_t kCompactCell = 16;
inline constexpr std::uint32_t kWideRows = 8;
inline constexpr std::size_t kWideCell = 1024;

struct alignas(kPage) Place {
  DisseminationBarrier::Lines dissemination;
  SharedBlocks::Lines blocks;
  alignas(2 * kCacheLine) std::byte wide[kWideRows * kWideCell];  // this member's cells
  // Used in the place of the first member only:
  alignas(2 * kCacheLine) std::byte compact[kCompactCell * kCompactRows * kMostCompact];
  alignas(2 * kCacheLine) BarrierWords arrivals[kMostMembers];
  BarrierWords groups[kMostMembers / BoardBarrier::kGroup];
  // Behind all that is cleared for a new team:
  alignas(kPage) std::byte slots[SharedBlocks::kSlots * SharedBlocks::kPieceBytes];
};
static_assert(sizeof(Place) <= core::kRankBoardBytes);

/// What the barriers of all ranks keep in each rank's kBarrierBoard. There may be more ranks than a team may
/// have members.
inline constexpr RankId kMostOnWorldBoard = 256;
struct WorldBarrierPlace {
  DisseminationBarrier::Lines dissemination;
  alignas(2 * kCacheLine) BarrierWords groups[kMostOnWorldBoard / BoardBarrier::kGroup];  // in that of rank 0
};

/// Whether the members can use the places that they have agreed on: all share memory, and there are at least
/// two and not too many. The same on all members.
bool can_use_places(core::Rank& rank, const core::Team& team, unsigned place);

/// Member m's place.
Place& place_of(core::Rank& rank, const core::Team& team, gex_Rank_t member, unsigned place);

}  // namespace aqueduct::extended::collectives
