#include "extended/collectives/place.hpp"

#include "core/rank.hpp"
#include "extended/board_places.hpp"

namespace aqueduct::extended::collectives {

bool can_use_places(core::Rank& rank, const core::Team& team, unsigned place) {
  if (place == kNoBoard || team.size() < 2 || team.size() > kMostMembers || rank.options().reference_only)
    return false;
  for (gex_Rank_t member = 0; member < team.size(); ++member) {
    if (!rank.is_neighbour(team.job_rank(member))) return false;
  }
  return true;
}

Place& place_of(core::Rank& rank, const core::Team& team, gex_Rank_t member, unsigned place) {
  return *reinterpret_cast<Place*>(rank.neighbourhood()->rank_board(team.job_rank(member), place));
}

}  // namespace aqueduct::extended::collectives
