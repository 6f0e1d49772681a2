// A team as one of its members sees it: an ordered set of endpoints, and this process's place among them.
//
// What collectives and other protocols over a team need is here: size() and rank(), job_rank() of a member
// and rank_of() a job rank, an id that all members agree on and that messages can carry (find a team by it
// with TeamTable::find), and `extension` for what Extended keeps per team (extended/extended.hpp).
//
// The team of all ranks has the id kWorldTeam and keeps no table of members: its ranks are those of the job.
//
// Ownership: the world belongs to Objects, every other team to the TeamTable, from its creation (collective)
// to its destruction (collective). All of a team but its client data is constant between the two, so any
// thread may read it without a lock; views of its peers change only in calls that say so (attaching or
// publishing segments).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "gasnetex.h"

namespace aqueduct::core {

struct Endpoint;

/// What the layers above keep per team.
class TeamExtension {
 public:
  virtual ~TeamExtension() = default;
};

/// The job rank of a team's first member, and a number that this rank uses for one of its teams at a time:
/// unique in the job while the team lives. At most 31 bits.
using TeamId = std::uint32_t;
/// How many such numbers there are in a job of `ranks`: fewer in larger jobs, 2^11 with 2^20 ranks.
constexpr TeamId teams_of_a_leader(RankId ranks) {
  constexpr TeamId kMost = 1u << 14;
  return std::min(kMost, (TeamId{1} << 31) / std::bit_ceil(ranks));
}
inline constexpr TeamId kWorldTeam = 0;

struct Team {
  aq_team_view_ view{};  // must be first: the header's inline code reads it through the handle
  aq_team_view_ near{};  // the same with all members whose segments may be copied to and from at once; the
                         // header leaves some of them to the library (Rank::is_left_to_header())
  const gex_EP_Location_t* locations = nullptr;  // of the members; null: member r is endpoint 0 of job rank r
  Endpoint* endpoint = nullptr;
  TeamId id = kWorldTeam;
  bool primordial = true;  // every member is endpoint 0 of its process
  gex_Flags_t flags = 0;
  gex_Memvec_t scratch{};  // what the client lent to the team, if anything
  const void* cdata = nullptr;
  std::unique_ptr<TeamExtension> extension;

  std::vector<gex_EP_Location_t> members;  // what `locations` points to
  std::vector<gex_Rank_t> by_job_rank;     // ranks in the team in the order of their job ranks
  std::vector<aq_peer_view_> peer_views;   // what view.peers_ points to
  std::vector<aq_peer_view_> near_views;   // what near.peers_ points to

  gex_Rank_t size() const { return view.size_; }
  gex_Rank_t rank() const { return view.rank_; }

  /// The process of member `rank`, which must be below size().
  RankId job_rank(gex_Rank_t rank) const { return locations ? locations[rank].gex_rank : rank; }
  gex_EP_Location_t location(gex_Rank_t rank) const {
    return locations ? locations[rank] : gex_EP_Location_t{rank, 0};
  }
  /// The member in the process `job_rank`, or GEX_RANK_INVALID if it has none.
  gex_Rank_t rank_of(RankId job_rank) const;

  /// Takes over the members of a new team, in the order of their ranks.
  void set_members(std::vector<gex_EP_Location_t> all, gex_Rank_t my_rank);
};

/// The teams of a rank other than the world, by id.
class TeamTable {
 public:
  /// An id for a team that this rank, `leader`, is the first member of; another one each time. Any thread.
  /// The job has `ranks`.
  TeamId propose(RankId leader, RankId ranks);

  /// Adds a team under its id. Owns it from now on.
  Team& add(std::unique_ptr<Team> team);
  void remove(Team& team);

  /// The team with that id, or null. Any thread, also in handlers.
  Team* find(TeamId id);

  /// Whether there is a team at that address, which may be any. Any thread.
  bool holds(const Team* team) const;

  /// Calls `visit(team)` for each team. Not while another thread adds or removes.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [id, team] : teams_) visit(*team);
  }

 private:
  mutable SpinLock lock_;
  TeamId proposed_ = 0;  // the last number
  std::unordered_map<TeamId, std::unique_ptr<Team>> teams_;
};

}  // namespace aqueduct::core
