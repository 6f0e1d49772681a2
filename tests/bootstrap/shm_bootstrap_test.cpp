// The bootstrap in shared memory.
#include "job/bootstrap/shm_bootstrap.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bootstrap/exercise.hpp"
#include "job/bootstrap/agreement.hpp"

namespace aqueduct::job::test {
namespace {

class ShmBootstrapOf : public testing::TestWithParam<RankId> {};

TEST_P(ShmBootstrapOf, ThreadsBringsEverybodysBytesToAll) {
  const RankId ranks = GetParam();
  ThreadRoom room;
  run_threads(ranks, [&](RankId rank) {
    ShmBootstrap bootstrap(room.view(), rank, ranks);
    exercise(bootstrap, 11 + ranks, ranks > 5 ? 8 : 60, ranks > 16 ? 40'000 : 1'200'000);
  });
}

TEST_P(ShmBootstrapOf, ProcessesBringsEverybodysBytesToAll) {
  const RankId ranks = GetParam();
  ForkRoom room;
  run_forks(ranks, [&](RankId rank) {
    ShmBootstrap bootstrap(room.view(), rank, ranks);
    exercise(bootstrap, 23 + ranks, ranks > 5 ? 8 : 60, ranks > 16 ? 40'000 : 3'000'000);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, ShmBootstrapOf, testing::Values(1, 2, 3, 5, 16, 64),
                         testing::PrintToStringParamName());

TEST(ShmBootstrap, AResultStaysUntilItsRankGoesOn) {
  ThreadRoom room;
  constexpr RankId kRanks = 2;
  ShmBootstrap first(room.view(), 0, kRanks);
  ShmBootstrap second(room.view(), 1, kRanks);
  const int one = 1, two = 2, three = 3;
  first.begin_all_gather(bytes_of(one));
  EXPECT_FALSE(first.advance());
  second.begin_all_gather(bytes_of(two));
  ASSERT_TRUE(second.advance());
  ASSERT_TRUE(first.advance());
  const Bytes kept = first.gathered()[1];
  second.begin_all_gather(bytes_of(three));
  EXPECT_FALSE(second.advance());
  EXPECT_EQ(std::memcmp(kept.data(), &two, sizeof two), 0);
}

TEST(ShmBootstrap, ManyRanksHaveOneTableWhoseRowsTakeSixteenBytes) {
  constexpr RankId kRanks = 100'000;
  ThreadRoom room;
  std::vector<std::unique_ptr<ShmBootstrap>> ranks;
  for (RankId rank = 0; rank < kRanks; ++rank) {
    ranks.push_back(std::make_unique<ShmBootstrap>(room.view(), rank, kRanks));
    ranks.back()->begin_all_gather(bytes_of(rank));
  }
  for (RankId rank = 0; rank < kRanks; ++rank) ASSERT_TRUE(ranks[rank]->advance());
  const Gathered& all = ranks[kRanks / 2]->gathered();
  for (RankId rank = 0; rank < kRanks; ++rank)
    ASSERT_EQ(std::memcmp(all[rank].data(), &rank, sizeof rank), 0);
  EXPECT_EQ(all[7].data(), ranks[0]->gathered()[7].data());
}

TEST(ShmBootstrap, WaitsThroughTheHookAndWakesOthersWhenTheyMayGoOn) {
  ThreadRoom room;
  ShmBootstrap first(room.view(), 0, 2);
  ShmBootstrap second(room.view(), 1, 2);
  unsigned waits = 0, wakes = 0;
  first.set_waiting(
      [&](const std::function<bool()>& condition) {
        ++waits;
        EXPECT_FALSE(condition());
        second.begin_barrier();
        EXPECT_TRUE(condition());
      },
      [] { FAIL() << "nobody waits for the first to come"; });
  second.set_waiting({}, [&] { ++wakes; });
  first.barrier();
  EXPECT_EQ(waits, 1u);
  EXPECT_EQ(wakes, 1u);
}

TEST(ShmBootstrapDeathTest, CallsThatDoNotMatchAreNamed) {
  ThreadRoom room;
  ShmBootstrap first(room.view(), 0, 2);
  ShmBootstrap second(room.view(), 1, 2);
  first.begin_barrier();
  EXPECT_EXIT(second.begin_broadcast(1, {}), testing::ExitedWithCode(1),
              "rank 1 makes a broadcast from rank 1 and rank 0 makes a barrier, as the operation number 1");
}

TEST(ShmBootstrapDeathTest, ARowThatLeavesTheDataIsLaidToItsWriter) {
  ThreadRoom room;
  ShmBootstrap first(room.view(), 0, 2);
  ShmBootstrap second(room.view(), 1, 2);
  const int data = 5;
  first.begin_all_gather(bytes_of(data));
  second.begin_all_gather(bytes_of(data));
  ASSERT_TRUE(first.advance());
  // The first operation has the odd table: a cache line, then the rows.
  auto* rows = reinterpret_cast<Gathered::Row*>(room.map(2 * SharedTable::kRoomBytes, kPage) + kCacheLine);
  ASSERT_EQ(rows[1].bytes, sizeof data);
  rows[1].offset = 1;
  EXPECT_EQ(first.gathered()[0].size(), sizeof data);
  EXPECT_EQ(first.gathered()[1].size(), sizeof data);
  rows[1].bytes = 8;
  EXPECT_EXIT(first.gathered()[1], testing::ExitedWithCode(1), "look for a stray write in rank 1");
  rows[1] = {~std::uint64_t{0}, 2};
  EXPECT_EXIT(first.gathered()[1], testing::ExitedWithCode(1), "look for a stray write in rank 1");
}

TEST(ShmBootstrapDeathTest, CountersThatCannotBeAreFound) {
  ThreadRoom room;
  ShmBootstrap first(room.view(), 0, 2);
  first.begin_barrier();
  auto* published = reinterpret_cast<std::uint64_t*>(room.map(0, kPage) + kCacheLine);
  *published = 77;
  EXPECT_EXIT(first.advance(), testing::ExitedWithCode(1),
              "shared memory is corrupted: the bootstrap counts");
}

TEST(ShmBootstrapDeathTest, AnOperationBeforeTheLastIsOverIsRefused) {
  ThreadRoom room;
  ShmBootstrap first(room.view(), 0, 2);
  first.begin_barrier();
  EXPECT_EXIT(first.begin_barrier(), testing::ExitedWithCode(1), "before the operation before it is over");
}

TEST(AgreementDeathTest, TwoRanksThatDisagreeAreNamedWithTheirValues) {
  const auto claims_of = [](RankId rank) {
    return std::vector<Claim>{{"Aqueduct", "0.2"}, {"GASNET_MAX_SEGSIZE", rank == 3 ? "4096" : "8192"}};
  };
  EXPECT_EXIT(
      {
        ThreadRoom room;
        run_threads(5, [&](RankId rank) {
          ShmBootstrap bootstrap(room.view(), rank, 5);
          agree(bootstrap, {{"Aqueduct", "0.2"}});
          agree(bootstrap, claims_of(rank));
        });
      },
      testing::ExitedWithCode(1), "rank 3 has GASNET_MAX_SEGSIZE 4096 and rank 0 has 8192");
}

TEST(AgreementDeathTest, RanksThatClaimDifferentThingsAreNamed) {
  EXPECT_EXIT(
      {
        ThreadRoom room;
        run_threads(2, [&](RankId rank) {
          ShmBootstrap bootstrap(room.view(), rank, 2);
          agree(bootstrap, {{rank == 0 ? "apples" : "pears", "3"}});
        });
      },
      testing::ExitedWithCode(1), "rank 1 claims to have pears where rank 0 has apples");
}

}  // namespace
}  // namespace aqueduct::job::test
