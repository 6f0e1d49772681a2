#include "extended/extended.hpp"

#include "extended/collectives/team_collectives.hpp"
#include "extended/hosts.hpp"
#include "extended/message_barrier.hpp"
#include "extended/outlived_barrier.hpp"
#include "extended/reference_atomic.hpp"
#include "extended/reference_rma.hpp"
#include "extended/teams/neighbour_barrier.hpp"
#include "extended/vis/packed.hpp"
#include "extended/vis/signal.hpp"

namespace aqueduct::extended {

RankOps::RankOps(Rank& rank) : deferred_tasks(rank) {
  register_reference_rma(rank.handlers());
  MessageBarrier::register_handler(rank.handlers());
  TeamGather::register_handler(rank.handlers());
  collectives::TeamCollectives::register_handlers(rank.handlers());
  core::Team& world = rank.objects().world;
  register_reference_atomics(rank.handlers());
  vis::register_packed(rank.handlers());
  vis::register_signal(rank.handlers());
  const bool all_share_memory = rank.neighbourhood() && rank.neighbourhood()->size() == rank.size();
  std::unique_ptr<Barrier> barrier;
  if (all_share_memory && !rank.options().reference_only) {
    named_barrier = make_world_barrier(rank, WorldBarrier::kNamed);
    barrier = make_world_barrier(rank, WorldBarrier::kTeam);
  } else {
    named_barrier = std::make_unique<MessageBarrier>(deferred_tasks, world, true);
    barrier = std::make_unique<MessageBarrier>(deferred_tasks, world, false);
  }
  named_barrier = outlived(rank, world, std::move(named_barrier));
  hosts = collectives::find_hosts(rank);
  world.extension = std::make_unique<TeamOps>(rank, deferred_tasks, world, std::move(barrier), hosts,
                                              collectives::kWorldBoard);
}

RankOps::~RankOps() = default;

TeamOps::TeamOps(Rank& rank, DeferredTasks& deferred_tasks, const core::Team& team,
                 std::unique_ptr<Barrier> own_barrier, const collectives::Hosts& hosts, unsigned board_place)
    : progress_slot(static_cast<std::uint8_t>(team.id == core::kWorldTeam
                                                  ? core::OwnRecord::kWorldSlot
                                                  : rank.own_record().add_team(team.id, team.size()))),
      gather(rank, team),
      barrier(outlived(rank, team, std::move(own_barrier))),
      collectives(
          std::make_unique<collectives::TeamCollectives>(rank, deferred_tasks, team, hosts, board_place)) {}

TeamOps::~TeamOps() = default;

}  // namespace aqueduct::extended
