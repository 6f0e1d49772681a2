#include "clients/caf/team.hpp"

#include <cstdlib>
#include <cstring>

#include "clients/caf/error.hpp"
#include "clients/caf/heap.hpp"
#include "clients/caf/job.hpp"
#include "clients/caf/small_broadcast.hpp"
#include "clients/caf/sync.hpp"

namespace aqueduct::caf {

int Team::image_of(gex_Rank_t rank) const {
  if (!ranks) return static_cast<int>(rank) + 1;
  for (int i = 0; i < size; ++i)
    if (ranks[i] == rank) return i + 1;
  return 0;
}

Team* form_team(int number) {
  if (number < 0) fatal("FORM TEAM", "%d is no number of a team", number);
  Team& parent = *job.team;
  auto* const team = static_cast<Team*>(std::calloc(1, sizeof(Team)));
  auto* const progress =
      static_cast<TeamProgress*>(symmetric_heap.allocate(sizeof(TeamProgress), parent.depth));
  auto* const ring =
      static_cast<BroadcastRing*>(symmetric_heap.allocate(sizeof(BroadcastRing), parent.depth));
  if (!team || !progress || !ring) fatal("FORM TEAM", "no memory for a team");
  *progress = {};
  std::memset(static_cast<void*>(ring), 0, sizeof *ring);
  gex_TM_Split(&team->tm, parent.tm, number, parent.me, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  team->size = static_cast<int>(gex_TM_QuerySize(team->tm));
  team->me = static_cast<int>(gex_TM_QueryRank(team->tm)) + 1;
  team->number = number;
  team->parent = &parent;
  team->depth = parent.depth + 1;
  team->progress = progress;
  team->ring = ring;
  team->ranks =
      static_cast<gex_Rank_t*>(std::malloc(static_cast<std::size_t>(team->size) * sizeof(gex_Rank_t)));
  if (!team->ranks) fatal("FORM TEAM", "no memory for a team");
  for (int i = 0; i < team->size; ++i)
    team->ranks[i] = gex_TM_TranslateRankToJobrank(team->tm, static_cast<gex_Rank_t>(i));
  return team;
}

void change_team(Team* team) {
  if (!team || team->parent != job.team) fatal("CHANGE TEAM", "the team was not formed by the current team");
  job.team = team;
  sync_all({}, "CHANGE TEAM");
}

void end_team() {
  Team* const team = job.team;
  if (!team->parent) fatal("END TEAM", "the current team is the initial team");
  sync_all({}, "END TEAM");
  symmetric_heap.free_from(team->depth);
  job.team = team->parent;
}

const Team& ancestor(int distance) {
  const Team* team = job.team;
  for (; distance > 0 && team->parent; --distance) team = team->parent;
  return *team;
}

}  // namespace aqueduct::caf
