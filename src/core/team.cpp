#include "core/team.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/fatal.hpp"

namespace aqueduct::core {

gex_Rank_t Team::rank_of(RankId job_rank) const {
  if (!locations) return job_rank < size() ? job_rank : GEX_RANK_INVALID;
  const auto found = std::lower_bound(
      by_job_rank.begin(), by_job_rank.end(), job_rank,
      [this](gex_Rank_t member, RankId wanted) { return locations[member].gex_rank < wanted; });
  return found != by_job_rank.end() && locations[*found].gex_rank == job_rank ? *found : GEX_RANK_INVALID;
}

void Team::set_members(std::vector<gex_EP_Location_t> all, gex_Rank_t my_rank) {
  members = std::move(all);
  locations = members.data();
  primordial = std::all_of(members.begin(), members.end(),
                           [](const gex_EP_Location_t& member) { return member.gex_ep_index == 0; });
  peer_views.assign(members.size(), {});
  near_views.assign(members.size(), {});
  view = {peer_views.data(), static_cast<gex_Rank_t>(members.size()), my_rank};
  near = {near_views.data(), view.size_, my_rank};
  by_job_rank.resize(members.size());
  std::iota(by_job_rank.begin(), by_job_rank.end(), 0u);
  std::stable_sort(by_job_rank.begin(), by_job_rank.end(),
                   [this](gex_Rank_t a, gex_Rank_t b) { return members[a].gex_rank < members[b].gex_rank; });
}

TeamId TeamTable::propose(RankId leader, RankId ranks) {
  const TeamId teams = teams_of_a_leader(ranks);
  const std::lock_guard guard(lock_);
  if (teams_.size() >= teams - 1)
    fatal("team", "in a job of %u ranks a rank is in at most %u teams", ranks, teams);
  for (;;) {
    proposed_ = (proposed_ + 1) % teams;
    const TeamId id = leader * teams + proposed_;
    if (id != kWorldTeam && !teams_.contains(id)) return id;
  }
}

Team& TeamTable::add(std::unique_ptr<Team> team) {
  Team& added = *team;
  const std::lock_guard guard(lock_);
  teams_[added.id] = std::move(team);
  return added;
}

void TeamTable::remove(Team& team) {
  std::unique_ptr<Team> removed;  // destroyed after the lock is given back
  const std::lock_guard guard(lock_);
  const auto entry = teams_.find(team.id);
  removed = std::move(entry->second);
  teams_.erase(entry);
}

Team* TeamTable::find(TeamId id) {
  const std::lock_guard guard(lock_);
  const auto entry = teams_.find(id);
  return entry == teams_.end() ? nullptr : entry->second.get();
}

bool TeamTable::holds(const Team* team) const {
  const std::lock_guard guard(lock_);
  return std::ranges::any_of(teams_, [&](const auto& entry) { return entry.second.get() == team; });
}

}  // namespace aqueduct::core
