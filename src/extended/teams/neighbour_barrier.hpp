// Which barrier serves neighbours, and where it lies in shared memory.
//
// Two or three members share one line of a board: nothing is faster. More of them use dissemination where
// each has a core; where ranks share cores, a board, because every round would need a turn of everybody.
// AQUEDUCT_BARRIER chooses otherwise. All members choose alike: the number of cores is that of the job.
#pragma once
#include <memory>

#include "core/rank.hpp"
#include "extended/barrier.hpp"

namespace aqueduct::extended {

/// The world has two barriers, which may be in progress at the same time.
enum class WorldBarrier : unsigned { kNamed, kTeam };

/// Makes a barrier of the world. All ranks must be neighbours.
std::unique_ptr<Barrier> make_world_barrier(core::Rank& rank, WorldBarrier which);

/// Makes the barrier of another team, in the place that its members have agreed on (collectives/place.hpp);
/// the place is cleared before anybody arrives. Null if the team cannot have one.
std::unique_ptr<Barrier> make_team_barrier(core::Rank& rank, const core::Team& team, unsigned place);

}  // namespace aqueduct::extended
