#include "extended/extended.hpp"

namespace aqueduct::extended {

TeamOps::TeamOps(Rank& rank, const core::Team& team, std::unique_ptr<Barrier> own_barrier,
                 std::unique_ptr<core::TeamExtension> own_collectives)
    : progress_slot(static_cast<std::uint8_t>(team.id == core::kWorldTeam
                                                  ? core::OwnRecord::kWorldSlot
                                                  : rank.own_record().add_team(team.id, team.size()))),
      gather(rank, team),
      barrier(std::move(own_barrier)),
      collectives(std::move(own_collectives)) {}

}  // namespace aqueduct::extended
