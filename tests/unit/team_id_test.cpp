// Ids of teams: unique in the job, in 31 bits, whatever the size of the job.
#include <gtest/gtest.h>

#include <set>

#include "core/team.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::core {
namespace {

TEST(TeamIds, FitInto31BitsInTheLargestJob) {
  constexpr RankId kRanks = job::kMaxRanks;
  TeamTable first, last;
  const TeamId of_first = first.propose(kRanks - 2, kRanks);
  const TeamId of_last = last.propose(kRanks - 1, kRanks);
  EXPECT_NE(of_first, of_last);
  EXPECT_LT(of_last, TeamId{1} << 31);
  EXPECT_EQ(teams_of_a_leader(kRanks), 1u << 11);
}

TEST(TeamIds, OfOneLeaderDifferUntilAllAreUsed) {
  constexpr RankId kRanks = job::kMaxRanks;
  constexpr RankId kLeader = 7;
  TeamTable teams;
  std::set<TeamId> seen;
  for (TeamId i = 0; i + 1 < teams_of_a_leader(kRanks); ++i) {
    auto team = std::make_unique<Team>();
    team->id = teams.propose(kLeader, kRanks);
    EXPECT_EQ(team->id / teams_of_a_leader(kRanks), kLeader);
    EXPECT_TRUE(seen.insert(team->id).second);
    teams.add(std::move(team));
  }
  EXPECT_DEATH(teams.propose(kLeader, kRanks), "in a job of 1048576 ranks a rank is in at most 2048 teams");
}

}  // namespace
}  // namespace aqueduct::core
