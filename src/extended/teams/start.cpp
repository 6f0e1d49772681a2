#include "extended/teams/start.hpp"

#include "extended/collectives/team_collectives.hpp"
#include "extended/device/device_rma.hpp"
#include "extended/message_barrier.hpp"
#include "extended/outlived_barrier.hpp"
#include "extended/reference_atomic.hpp"
#include "extended/reference_rma.hpp"
#include "extended/teams/neighbour_barrier.hpp"
#include "extended/vis/packed.hpp"
#include "extended/vis/signal.hpp"

namespace aqueduct::extended {
namespace {

void register_handlers(core::HandlerTable& handlers) {
  register_reference_rma(handlers);
  device_memory::register_handlers(handlers);
  MessageBarrier::register_handler(handlers);
  TeamGather::register_handler(handlers);
  collectives::TeamCollectives::register_handlers(handlers);
  register_reference_atomics(handlers);
  vis::register_packed(handlers);
  vis::register_signal(handlers);
}

}  // namespace

void start_extended(Rank& rank) {
  auto state = std::make_unique<RankOps>(rank);
  register_handlers(rank.handlers());
  core::Team& world = rank.objects().world;
  const bool all_share_memory = rank.neighbourhood() && rank.neighbourhood()->size() == rank.size();
  std::unique_ptr<Barrier> barrier;
  if (all_share_memory && !rank.options().reference_only) {
    state->named_barrier = make_world_barrier(rank, WorldBarrier::kNamed);
    barrier = make_world_barrier(rank, WorldBarrier::kTeam);
  } else {
    state->named_barrier = std::make_unique<MessageBarrier>(state->deferred_tasks, world, true);
    barrier = std::make_unique<MessageBarrier>(state->deferred_tasks, world, false);
  }
  state->named_barrier = outlived(rank, world, std::move(state->named_barrier));
  state->hosts = find_hosts(rank);
  world.extension = make_team_ops(rank, *state, world, std::move(barrier), kWorldBoard);
  rank.extension = std::move(state);
}

std::unique_ptr<TeamOps> make_team_ops(Rank& rank, RankOps& of_rank, const core::Team& team,
                                       std::unique_ptr<Barrier> barrier, unsigned board_place) {
  return std::make_unique<TeamOps>(rank, team, outlived(rank, team, std::move(barrier)),
                                   std::make_unique<collectives::TeamCollectives>(
                                       rank, of_rank.deferred_tasks, team, of_rank.hosts, board_place));
}

}  // namespace aqueduct::extended
