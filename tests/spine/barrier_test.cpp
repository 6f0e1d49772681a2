// Barriers: nobody goes on before everybody has arrived, and names that differ are noticed.
#include <array>
#include <atomic>
#include <climits>
#include <thread>
#include <vector>

#include "support/rma.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using NamedBarriers = Spmd;
using SplitPhase = Spmd;

struct Arrival {
  int id;
  int flags;
};
constexpr int kAnonymous = GASNET_BARRIERFLAG_ANONYMOUS;

int pass(Arrival mine) {
  gasnet_barrier_notify(mine.id, mine.flags);
  return gasnet_barrier_wait(mine.id, mine.flags);
}

TEST_F(NamedBarriers, EqualNamesMatchAndTheResultIsTheName) {
  for (int id : {0, 1, -1, 42, INT_MAX, INT_MIN}) {
    int result = 7;
    EXPECT_EQ(pass({id, 0}), GASNET_OK);
    EXPECT_EQ(gasnet_barrier_result(&result), 0);
    EXPECT_EQ(result, id);
  }
}

TEST_F(NamedBarriers, AnonymousArrivalsMatchAndHaveNoName) {
  int result = 7;
  EXPECT_EQ(pass({static_cast<int>(job().rank), kAnonymous}), GASNET_OK) << "an anonymous id does not matter";
  EXPECT_NE(gasnet_barrier_result(&result), 0);
}

TEST_F(NamedBarriers, UnnamedArrivalsMatchAndHaveNoName) {
  int result = 7;
  EXPECT_EQ(pass({0, GASNET_BARRIERFLAG_UNNAMED}), GASNET_OK);
  EXPECT_NE(gasnet_barrier_result(&result), 0);
}

TEST_F(NamedBarriers, AnonymousArrivalsTakeTheNameOfTheOthers) {
  for (gex_Rank_t named = 0; named < job().size; ++named) {
    int result = 7;
    const int id = 1000 + static_cast<int>(named);
    EXPECT_EQ(pass(job().rank == named ? Arrival{id, 0} : Arrival{5, kAnonymous}), GASNET_OK);
    EXPECT_EQ(gasnet_barrier_result(&result), 0);
    EXPECT_EQ(result, id);
  }
}

TEST_F(NamedBarriers, SomeEqualNamesAmongAnonymousArrivalsMatch) {
  int result = 7;
  EXPECT_EQ(pass(job().rank % 2 == 0 ? Arrival{33, 0} : Arrival{0, kAnonymous}), GASNET_OK);
  EXPECT_EQ(gasnet_barrier_result(&result), 0);
  EXPECT_EQ(result, 33);
}

TEST_F(NamedBarriers, DifferentNamesAreAMismatchEverywhereAndTheNextBarrierIsFine) {
  for (gex_Rank_t odd_one = 0; odd_one < job().size; ++odd_one) {
    const int expected = job().size == 1 ? GASNET_OK : GASNET_ERR_BARRIER_MISMATCH;
    EXPECT_EQ(pass({job().rank == odd_one ? 1 : 2, 0}), expected);
    EXPECT_EQ(pass({3, 0}), GASNET_OK);
  }
}

TEST_F(NamedBarriers, TwoNamesAmongAnonymousArrivalsAreAMismatchEverywhere) {
  if (job().size < 3) return;
  const Arrival mine = job().rank == 0   ? Arrival{1, 0}
                       : job().rank == 1 ? Arrival{2, 0}
                                         : Arrival{0, kAnonymous};
  EXPECT_EQ(pass(mine), GASNET_ERR_BARRIER_MISMATCH);
  EXPECT_EQ(pass({0, kAnonymous}), GASNET_OK);
}

TEST_F(NamedBarriers, OneDemandedMismatchIsAMismatchEverywhere) {
  for (gex_Rank_t demanding = 0; demanding < job().size; ++demanding)
    for (Arrival others : {Arrival{4, 0}, Arrival{0, kAnonymous}, Arrival{4, GASNET_BARRIERFLAG_MISMATCH}}) {
      EXPECT_EQ(pass(job().rank == demanding ? Arrival{4, GASNET_BARRIERFLAG_MISMATCH} : others),
                GASNET_ERR_BARRIER_MISMATCH);
      EXPECT_EQ(pass({4, 0}), GASNET_OK);
    }
}

TEST_F(NamedBarriers, WaitingUnderAnotherNameIsAMismatchForThatRank) {
  gasnet_barrier_notify(10, 0);
  const int answer = gasnet_barrier_wait(job().rank == 0 ? 11 : 10, 0);
  if (job().rank == 0) {
    EXPECT_EQ(answer, GASNET_ERR_BARRIER_MISMATCH);
  }
  EXPECT_EQ(pass({12, 0}), GASNET_OK);
}

TEST_F(NamedBarriers, TheBlockingFormAgreesWithNotifyAndWait) {
  int result = 7;
  EXPECT_EQ(gasnet_barrier(77, 0), GASNET_OK);
  EXPECT_EQ(gasnet_barrier_result(&result), 0);
  EXPECT_EQ(result, 77);
  EXPECT_EQ(gasnet_barrier(0, GASNET_BARRIERFLAG_MISMATCH), GASNET_ERR_BARRIER_MISMATCH);
  EXPECT_EQ(gasnet_barrier(0, kAnonymous), GASNET_OK);
}

std::atomic<int> go{0};
void on_go(gex_Token_t) { ++go; }
Handler go_handler(on_go, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

void tell_the_others_to_go() {
  for (gex_Rank_t rank = 1; rank < job().size; ++rank) gex_AM_RequestShort0(job().tm, rank, go_handler, 0);
}

TEST_F(SplitPhase, TryAnswersNotReadyUntilTheLastRankHasNotified) {
  go = 0;
  barrier();
  if (job().rank == 0) {
    gasnet_barrier_notify(5, 0);
    for (int i = 0; i < 200 && job().size > 1; ++i) ASSERT_EQ(gasnet_barrier_try(5, 0), GASNET_ERR_NOT_READY);
    tell_the_others_to_go();
  } else {
    GASNET_BLOCKUNTIL(go == 1);
    gasnet_barrier_notify(5, 0);
  }
  int answer;
  while ((answer = gasnet_barrier_try(5, 0)) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
  EXPECT_EQ(answer, GASNET_OK);
}

TEST_F(SplitPhase, MessagesAndPutsGoThroughBetweenNotifyAndWait) {
  go = 0;
  barrier();
  gasnet_barrier_notify(0, kAnonymous);
  gex_AM_RequestShort0(job().tm, right(), go_handler, 0);
  GASNET_BLOCKUNTIL(go == 1);
  EXPECT_EQ(gex_RMA_PutBlockingVal(job().tm, right(), window(right(), job().rank), 99, 8, 0), 0);
  EXPECT_EQ(gasnet_barrier_wait(0, kAnonymous), GASNET_OK);
}

TEST_F(SplitPhase, SeveralTeamBarriersMayBeInProgressAndMatchInOrder) {
  go = 0;
  barrier();
  if (job().rank == 0) {
    std::array<gex_Event_t, 2> started{gex_Coll_BarrierNB(job().tm, 0), gex_Coll_BarrierNB(job().tm, 0)};
    gex_Event_Wait(started[0]);  // the others have started this one
    for (int i = 0; i < 200 && job().size > 1; ++i) {
      gasnet_AMPoll();
      ASSERT_EQ(gex_Event_Test(started[1]), GASNET_ERR_NOT_READY) << "the others have not started this one";
    }
    tell_the_others_to_go();
    gex_Event_Wait(started[1]);
  } else {
    const gex_Event_t first = gex_Coll_BarrierNB(job().tm, 0);
    GASNET_BLOCKUNTIL(go == 1);
    const gex_Event_t second = gex_Coll_BarrierNB(job().tm, 0);
    gex_Event_Wait(second);
    gex_Event_Wait(first);
  }
}

TEST_F(SplitPhase, ManyTeamBarriersMayBeInProgressAndBeFinishedInAnyOrder) {
  for (std::uint32_t round = 0; round < scaled(50); ++round) {
    std::array<gex_Event_t, 8> started;
    for (auto& event : started) event = gex_Coll_BarrierNB(job().tm, 0);
    if ((round + job().rank) % 2)
      for (auto event = started.rbegin(); event != started.rend(); ++event) gex_Event_Wait(*event);
    else
      gex_Event_WaitAll(started.data(), started.size(), 0);
  }
}

// What separates two phases of a program, in every way that the API has.
void by_named(int id) { EXPECT_EQ(pass({id, 0}), GASNET_OK); }
void by_anonymous(int) { EXPECT_EQ(pass({0, kAnonymous}), GASNET_OK); }
void by_try(int id) {
  gasnet_barrier_notify(id, 0);
  while (gasnet_barrier_try(id, 0) != GASNET_OK) std::this_thread::yield();  // a try may not sleep for us
}
void by_team(int) { gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0)); }
void by_blocking_team(int) { gex_Coll_BarrierBlocking(job().tm, 0); }

struct Way {
  const char* name;
  void (*meet)(int);
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
class Phases : public Spmd, public ::testing::WithParamInterface<Way> {};

TEST_P(Phases, WhatWasPutBeforeABarrierIsSeenAfterIt) {
  const std::uint32_t rounds = scaled(1500);
  auto* mine = reinterpret_cast<std::uint64_t*>(local());  // one word for each rank
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) mine[rank * 8] = 0;
  barrier();
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    for (gex_Rank_t rank = 0; rank < job().size; ++rank)
      gex_RMA_PutBlockingVal(job().tm, rank, remote(rank, job().rank * 64), round, 8, 0);
    GetParam().meet(static_cast<int>(2 * round));
    for (gex_Rank_t rank = 0; rank < job().size; ++rank)
      ASSERT_EQ(mine[rank * 8], round)
          << "rank " << rank << " passed a barrier that this rank had not reached, or late";
    GetParam().meet(static_cast<int>(2 * round + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(By, Phases,
                         ::testing::Values(Way{"Named", by_named}, Way{"Anonymous", by_anonymous},
                                           Way{"Try", by_try}, Way{"Team", by_team},
                                           Way{"BlockingTeam", by_blocking_team}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(SplitPhase, BothKindsOfBarrierMayAlternate) {
  for (std::uint32_t round = 0; round < scaled(200); ++round) {
    by_team(0);
    by_named(static_cast<int>(round));
    by_anonymous(0);
  }
}

}  // namespace
}  // namespace aqueduct::test
