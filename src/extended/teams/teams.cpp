#include "extended/teams/teams.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "extended/collectives/team_collectives.hpp"
#include "extended/message_barrier.hpp"
#include "extended/teams/neighbour_barrier.hpp"
#include "extended/teams/start.hpp"

namespace aqueduct::extended {
namespace {

using core::Team;

Team* make_team(Rank& rank, core::Endpoint& endpoint, std::vector<gex_EP_Location_t> members,
                gex_Rank_t my_rank, core::TeamId id, unsigned board_place, gex_Memvec_t scratch,
                gex_Flags_t flags) {
  auto team = std::make_unique<Team>();
  team->endpoint = &endpoint;
  team->id = id;
  team->flags = flags;
  team->scratch = scratch;
  team->set_members(std::move(members), my_rank);
  core::refresh_peer_views(rank, rank.objects(), *team);
  std::unique_ptr<Barrier> barrier = make_team_barrier(rank, *team, board_place);
  if (!barrier) barrier = std::make_unique<MessageBarrier>(ops(rank).deferred_tasks, *team, false);
  team->extension = make_team_ops(rank, ops(rank), *team, std::move(barrier), board_place);
  return &rank.objects().teams.add(std::move(team));
}

// FNV-1a over the list, to hold the lists of two members against each other.
std::uint64_t fingerprint(std::span<const gex_EP_Location_t> members) {
  std::uint64_t hash = 14695981039346656037u;
  for (const gex_EP_Location_t& member : members) {
    for (const std::uint32_t part : {member.gex_rank, std::uint32_t{member.gex_ep_index}}) {
      hash = (hash ^ part) * 1099511628211u;
    }
  }
  return hash;
}

}  // namespace

Team* split_team(Thread& thread, Team& parent, bool joins, int color, int key, gex_Memvec_t scratch,
                 gex_Flags_t flags) {
  struct Wish {
    int color;
    int key;
    core::TeamId proposal;
    std::uint32_t board_places;
    bool joins;
  };
  Rank& rank = thread.rank;
  TeamGather& parents = ops(parent).gather;
  BoardOffer offer(ops(rank).board_places);
  const std::vector<Wish> wishes = parents.all_gather(
      thread, Wish{color, key, rank.objects().teams.propose(rank.id(), rank.size()), offer.places(), joins});
  std::vector<gex_Rank_t> chosen;  // ranks in the parent
  for (gex_Rank_t member = 0; joins && member < parent.size(); ++member) {
    if (!wishes[member].joins || wishes[member].color != color) continue;
    chosen.push_back(member);
    offer.meet(wishes[member].board_places);
  }
  Team* team = nullptr;
  if (joins) {
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](gex_Rank_t a, gex_Rank_t b) { return wishes[a].key < wishes[b].key; });
    std::vector<gex_EP_Location_t> members;
    members.reserve(chosen.size());
    for (const gex_Rank_t member : chosen) members.push_back(parent.location(member));
    const auto me = std::find(chosen.begin(), chosen.end(), parent.rank());
    team = make_team(rank, *parent.endpoint, std::move(members), static_cast<gex_Rank_t>(me - chosen.begin()),
                     wishes[chosen[0]].proposal, offer.take(), scratch, flags);
  }
  parents.barrier(thread);
  return team;
}

Team* create_team(const char* where, Thread& thread, Team& parent, std::span<const gex_EP_Location_t> members,
                  gex_Memvec_t scratch, gex_Flags_t flags) {
  struct Plan {
    std::uint64_t members;
    core::TeamId proposal;
    std::uint32_t board_places;
  };
  Rank& rank = thread.rank;
  TeamGather& parents = ops(parent).gather;
  BoardOffer offer(ops(rank).board_places);
  const Plan mine{fingerprint(members), rank.objects().teams.propose(rank.id(), rank.size()), offer.places()};
  const std::vector<Plan> plans = parents.all_gather(thread, mine);
  gex_Rank_t my_rank = GEX_RANK_INVALID;
  core::TeamId id = 0;
  std::vector<RankId> processes;
  for (gex_Rank_t member = 0; member < members.size(); ++member) {
    const RankId process = members[member].gex_rank;
    const gex_Rank_t in_parent = process < rank.size() ? parent.rank_of(process) : GEX_RANK_INVALID;
    if (in_parent == GEX_RANK_INVALID)
      fatal(where, "member %u names job rank %u, which is not in the parent", member, process);
    if (process == rank.id()) my_rank = member;
    if (member == 0) id = plans[in_parent].proposal;
    offer.meet(plans[in_parent].board_places);
    if (plans[in_parent].members != mine.members)
      fatal(where, "job rank %u, which is to be a member, gave another list of members", process);
    processes.push_back(process);
  }
  std::sort(processes.begin(), processes.end());
  const auto twice = std::adjacent_find(processes.begin(), processes.end());
  if (twice != processes.end())
    fatal(where, "job rank %u is named twice; a team may have one member in each process", *twice);
  Team* team = nullptr;
  if (my_rank != GEX_RANK_INVALID) {
    core::Endpoint* endpoint = rank.objects().find_endpoint(members[my_rank].gex_ep_index);
    if (!endpoint) fatal(where, "this process has no endpoint %u", members[my_rank].gex_ep_index);
    team = make_team(rank, *endpoint, {members.begin(), members.end()}, my_rank, id, offer.take(), scratch,
                     flags);
  }
  parents.barrier(thread);
  return team;
}

void destroy_team(Thread& thread, Team& team) {
  collectives::TeamCollectives& collectives = collectives::collectives_of(team);
  collectives.settle(thread);
  ops(team).gather.barrier(thread);
  const unsigned board_place = collectives.board_place();
  thread.rank.own_record().remove_team(ops(team).progress_slot);
  thread.rank.objects().teams.remove(team);
  ops(thread.rank).board_places.give_back(board_place);
}

}  // namespace aqueduct::extended
