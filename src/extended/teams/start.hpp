// Puts Extended together: what it keeps beside a rank and beside each of its teams, with the implementations
// that serve them.
#pragma once
#include <memory>

#include "extended/extended.hpp"

namespace aqueduct::extended {

/// Makes the rank's state and the world's: registers the handlers of the reference implementations, and opens
/// the barriers and the collectives of the world, which must be known. Before the first message.
void start_extended(Rank& rank);

/// Makes the state of a team whose members are known. `board_place` as in collectives/boards.hpp.
std::unique_ptr<TeamOps> make_team_ops(Rank& rank, RankOps& of_rank, const core::Team& team,
                                       std::unique_ptr<Barrier> barrier, unsigned board_place);

}  // namespace aqueduct::extended
