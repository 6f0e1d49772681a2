// Events: many operations under way at once, and what test and wait say about them.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "support/pattern.hpp"
#include "support/rma.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Events = Spmd;
using ImplicitOperations = Spmd;
using PutCompletion = Spmd;

constexpr std::size_t kCell = 512;

// Many puts to all ranks, each into a cell of its own, each with an event.
struct ManyPuts {
  std::vector<std::vector<unsigned char>> sources;
  std::vector<gex_Event_t> events;

  explicit ManyPuts(std::uint32_t count) {
    auto random = own_random();
    for (std::uint32_t i = 0; i < count; ++i) {
      const gex_Rank_t rank = i % job().size;
      sources.push_back(patterned(1 + random() % kCell, key_of(job().rank, i)));
      events.push_back(gex_RMA_PutNB(job().tm, rank, window(rank, job().rank) + i * kCell,
                                     sources.back().data(), sources.back().size(), GEX_EVENT_DEFER, 0));
    }
  }
  void check() {
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      unsigned char back[kCell];
      const gex_Rank_t rank = i % job().size;
      get(Style::kBlocking, back, rank, window(rank, job().rank) + i * kCell, sources[i].size());
      ASSERT_TRUE(holds(back, sources[i].size(), key_of(job().rank, i))) << "put " << i;
    }
  }
};

TEST_F(Events, AThousandPutsMayBeUnderWayAndBeWaitedForTogether) {
  ManyPuts puts(1000);
  gex_Event_WaitAll(puts.events.data(), puts.events.size(), 0);
  for (gex_Event_t event : puts.events) EXPECT_EQ(event, GEX_EVENT_INVALID);
  puts.check();
}

TEST_F(Events, WaitSomeFinishesAllOfThemWhenItIsRepeated) {
  ManyPuts puts(300);
  while (std::any_of(puts.events.begin(), puts.events.end(),
                     [](gex_Event_t e) { return e != GEX_EVENT_INVALID; })) {
    const auto left = std::count(puts.events.begin(), puts.events.end(), GEX_EVENT_INVALID);
    gex_Event_WaitSome(puts.events.data(), puts.events.size(), 0);
    EXPECT_GT(std::count(puts.events.begin(), puts.events.end(), GEX_EVENT_INVALID), left)
        << "none was finished";
  }
  puts.check();
}

TEST_F(Events, TheyMayBeFinishedInAnyOrder) {
  ManyPuts puts(300);
  std::vector<gex_Event_t> shuffled = puts.events;
  std::shuffle(shuffled.begin(), shuffled.end(), own_random());
  for (gex_Event_t event : shuffled) gex_Event_Wait(event);
  puts.check();
}

TEST_F(Events, TestingWithPollingFinishesThem) {
  ManyPuts puts(200);
  for (gex_Event_t event : puts.events)
    while (true) {
      const int answer = gex_Event_Test(event);
      if (answer == GASNET_OK) break;
      ASSERT_EQ(answer, GASNET_ERR_NOT_READY);
      gasnet_AMPoll();
    }
  puts.check();
}

TEST_F(Events, AThousandGetsMayBeUnderWay) {
  for (std::uint32_t i = 0; i < 1000; ++i) fill(local(i * kCell), kCell, key_of(job().rank, i, 3));
  barrier();
  std::vector<std::vector<unsigned char>> into(1000, std::vector<unsigned char>(kCell));
  std::vector<gex_Event_t> events;
  for (std::uint32_t i = 0; i < 1000; ++i)
    events.push_back(
        gex_RMA_GetNB(job().tm, into[i].data(), i % job().size, remote(i % job().size, i * kCell), kCell, 0));
  gex_Event_WaitAll(events.data(), events.size(), 0);
  for (std::uint32_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(holds(into[i].data(), kCell, key_of(i % job().size, i, 3)));
}

TEST_F(Events, AnInvalidEventIsDone) {
  EXPECT_EQ(gex_Event_Test(GEX_EVENT_INVALID), GASNET_OK);
  gex_Event_Wait(GEX_EVENT_INVALID);
  std::array<gex_Event_t, 3> none{GEX_EVENT_INVALID, GEX_EVENT_INVALID, GEX_EVENT_INVALID};
  EXPECT_EQ(gex_Event_TestSome(none.data(), none.size(), 0), GASNET_OK);
  EXPECT_EQ(gex_Event_TestAll(none.data(), none.size(), 0), GASNET_OK);
  gex_Event_WaitSome(none.data(), none.size(), 0);
  gex_Event_WaitAll(none.data(), none.size(), 0);
  EXPECT_EQ(gex_Event_TestSome(nullptr, 0, 0), GASNET_OK);
  EXPECT_EQ(gex_Event_TestAll(nullptr, 0, 0), GASNET_OK);
  EXPECT_EQ(gex_Event_QueryLeaf(GEX_EVENT_INVALID, GEX_EC_LC), GEX_EVENT_INVALID);
}

// A barrier that one rank has not joined is an event that is certainly not done.
std::atomic<int> joined{0};
void on_join(gex_Token_t) { ++joined; }
Handler join(on_join, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(Events, TestsOfPendingEventsAnswerNotReadyAndLeaveThemAlone) {
  joined = 0;
  barrier();
  if (job().size == 1) return;
  if (job().rank == 0) {
    const gex_Event_t pending = gex_Coll_BarrierNB(job().tm, 0);
    ASSERT_NE(pending, GEX_EVENT_INVALID);
    for (int i = 0; i < 100; ++i) {
      gasnet_AMPoll();
      ASSERT_EQ(gex_Event_Test(pending), GASNET_ERR_NOT_READY);
    }
    std::array<gex_Event_t, 3> events{GEX_EVENT_INVALID, pending, GEX_EVENT_INVALID};
    EXPECT_EQ(gex_Event_TestSome(events.data(), events.size(), 0), GASNET_ERR_NOT_READY)
        << "invalid entries do not count as progress";
    EXPECT_EQ(gex_Event_TestAll(events.data(), events.size(), 0), GASNET_ERR_NOT_READY);
    EXPECT_EQ(events[1], pending);
    std::array<gex_Event_t, 19> many{};  // of more than are looked at together
    for (gex_Event_t& place : many) {
      place = pending;
      EXPECT_EQ(gex_Event_TestSome(many.data(), many.size(), 0), GASNET_ERR_NOT_READY);
      EXPECT_EQ(gex_Event_TestAll(many.data(), many.size(), 0), GASNET_ERR_NOT_READY);
      EXPECT_EQ(place, pending);
      place = GEX_EVENT_INVALID;
    }
    for (gex_Rank_t rank = 1; rank < job().size; ++rank) gex_AM_RequestShort0(job().tm, rank, join, 0);
    gex_Event_WaitSome(events.data(), events.size(), 0);
    EXPECT_EQ(events[1], GEX_EVENT_INVALID);
  } else {
    GASNET_BLOCKUNTIL(joined == 1);
    gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0));
  }
}

TEST_F(Events, ADoneEventBesideAPendingOneIsFoundBySome) {
  joined = 0;
  barrier();
  if (job().size == 1) return;
  if (job().rank == 0) {
    const auto source = patterned(kCell, 1);
    std::array<gex_Event_t, 2> events{
        gex_Coll_BarrierNB(job().tm, 0),
        gex_RMA_PutNB(job().tm, 1, window(1, 0), source.data(), kCell, GEX_EVENT_DEFER, 0)};
    const gex_Event_t pending = events[0];
    if (events[1] != GEX_EVENT_INVALID) gex_Event_WaitSome(events.data(), events.size(), 0);
    EXPECT_EQ(events[1], GEX_EVENT_INVALID);
    EXPECT_EQ(events[0], pending);
    EXPECT_EQ(gex_Event_TestAll(events.data(), events.size(), 0), GASNET_ERR_NOT_READY);
    for (gex_Rank_t rank = 1; rank < job().size; ++rank) gex_AM_RequestShort0(job().tm, rank, join, 0);
    gex_Event_WaitAll(events.data(), events.size(), 0);
    EXPECT_EQ(events[0], GEX_EVENT_INVALID);
  } else {
    GASNET_BLOCKUNTIL(joined == 1);
    gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0));
  }
}

// Puts report local completion: from then on the source may change, and the target still gets what was there.
template <class PutAndFree>
void expect_source_may_change(PutAndFree put_and_free) {
  for (std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{500}, std::size_t{70'000}})
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      auto source = patterned(bytes, key_of(job().rank, rank, bytes));
      std::vector<unsigned char> back(bytes);
      put_and_free(rank, source);
      get(Style::kBlocking, back.data(), rank, window(rank, job().rank), bytes);
      ASSERT_TRUE(holds(back.data(), bytes, key_of(job().rank, rank, bytes)))
          << bytes << " bytes to rank " << rank;
    }
}

TEST_F(PutCompletion, NowFreesTheSourceBeforeTheCallReturns) {
  expect_source_may_change([](gex_Rank_t rank, std::vector<unsigned char>& source) {
    const gex_Event_t done = gex_RMA_PutNB(job().tm, rank, window(rank, job().rank), source.data(),
                                           source.size(), GEX_EVENT_NOW, 0);
    std::fill(source.begin(), source.end(), 0xEE);
    gex_Event_Wait(done);
  });
}

TEST_F(PutCompletion, ALeafEventFreesTheSourceBeforeTheRootIsDone) {
  expect_source_may_change([](gex_Rank_t rank, std::vector<unsigned char>& source) {
    gex_Event_t local_done = GEX_EVENT_NO_OP;
    const gex_Event_t done =
        gex_RMA_PutNB(job().tm, rank, window(rank, job().rank), source.data(), source.size(), &local_done, 0);
    ASSERT_NE(local_done, GEX_EVENT_NO_OP);
    gex_Event_Wait(local_done);
    std::fill(source.begin(), source.end(), 0xEE);
    gex_Event_Wait(done);
  });
}

TEST_F(PutCompletion, TheLeafIsFoundFromTheRootAndIsTheSameEachTime) {
  const auto source = patterned(3000, 5);
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    gex_Event_t local_done = GEX_EVENT_NO_OP;
    const gex_Event_t done =
        gex_RMA_PutNB(job().tm, rank, window(rank, job().rank), source.data(), source.size(), &local_done, 0);
    const gex_Event_t leaf = gex_Event_QueryLeaf(done, GEX_EC_LC);
    if (leaf != GEX_EVENT_INVALID && local_done != GEX_EVENT_INVALID) {
      EXPECT_EQ(leaf, local_done);
      EXPECT_EQ(gex_Event_QueryLeaf(done, GEX_EC_LC), leaf);
    }
    gex_Event_Wait(done);  // finishes the leaf as well
  }
}

TEST_F(PutCompletion, ALeafMayBeAskedAgainUntilItsRootIsCompleted) {
  const auto source = patterned(3000, 6);
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    gex_Event_t leaf = GEX_EVENT_NO_OP;
    const gex_Event_t done =
        gex_RMA_PutNB(job().tm, rank, window(rank, job().rank), source.data(), source.size(), &leaf, 0);
    gex_Event_t same = leaf;
    gex_Event_Wait(leaf);
    EXPECT_EQ(gex_Event_Test(leaf), GASNET_OK);
    EXPECT_EQ(gex_Event_TestSome(&leaf, 1, 0), GASNET_OK);
    EXPECT_EQ(leaf, GEX_EVENT_INVALID);
    EXPECT_EQ(gex_Event_TestAll(&same, 1, 0), GASNET_OK);
    EXPECT_EQ(gex_Event_QueryLeaf(done, GEX_EC_LC), GEX_EVENT_INVALID);
    gex_Event_Wait(done);
  }
}

TEST_F(PutCompletion, RootsAndLeavesMayStandInOneArrayInAnyOrder) {
  std::vector<std::vector<unsigned char>> sources;
  std::vector<gex_Event_t> events;
  for (std::uint32_t i = 0; i < 100; ++i) {
    sources.push_back(patterned(kCell, key_of(job().rank, i)));
    gex_Event_t leaf = GEX_EVENT_INVALID;
    const gex_Rank_t rank = i % job().size;
    const gex_Event_t root = gex_RMA_PutNB(job().tm, rank, window(rank, job().rank) + i * kCell,
                                           sources[i].data(), kCell, &leaf, 0);
    events.push_back(root);
    events.push_back(leaf);
    if (i % 3 == 0) std::swap(events[2 * i], events[2 * i + 1]);
  }
  gex_Event_WaitAll(events.data(), events.size(), 0);
  for (gex_Event_t event : events) EXPECT_EQ(event, GEX_EVENT_INVALID);
}

TEST_F(PutCompletion, AGroupIsFreedByWaitingForLocalCompletion) {
  expect_source_may_change([](gex_Rank_t rank, std::vector<unsigned char>& source) {
    EXPECT_EQ(gex_RMA_PutNBI(job().tm, rank, window(rank, job().rank), source.data(), source.size(),
                             GEX_EVENT_GROUP, 0),
              0);
    gex_NBI_Wait(GEX_EC_LC, 0);
    std::fill(source.begin(), source.end(), 0xEE);
    gex_NBI_Wait(GEX_EC_PUT, 0);
  });
}

TEST_F(PutCompletion, ImmediatePutsThatAreRefusedDidNothing) {
  const auto source = patterned(kCell, key_of(job().rank, 4));
  for (std::uint32_t i = 0; i < 200; ++i) {
    const gex_Rank_t rank = i % job().size;
    std::byte* to = window(rank, job().rank) + i * kCell;
    gex_Event_t done;
    while ((done = gex_RMA_PutNB(job().tm, rank, to, source.data(), kCell, GEX_EVENT_NOW,
                                 GEX_FLAG_IMMEDIATE)) == GEX_EVENT_NO_OP)
      gasnet_AMPoll();
    gex_Event_Wait(done);
    unsigned char back[kCell];
    while (gex_RMA_GetBlocking(job().tm, back, rank, to, kCell, GEX_FLAG_IMMEDIATE) != 0) gasnet_AMPoll();
    ASSERT_TRUE(holds(back, kCell, key_of(job().rank, 4)));
  }
}

TEST_F(PutCompletion, APromiseThatThePeerIsAnotherRankIsAccepted) {
  if (job().size == 1) return;
  const auto source = patterned(kCell, key_of(job().rank, 7));
  unsigned char back[kCell];
  EXPECT_EQ(gex_RMA_PutBlocking(job().tm, right(), window(right(), job().rank), source.data(), kCell,
                                GEX_FLAG_PEER_NEVER_SELF),
            0);
  EXPECT_EQ(gex_RMA_GetBlocking(job().tm, back, right(), window(right(), job().rank), kCell,
                                GEX_FLAG_PEER_NEVER_SELF),
            0);
  EXPECT_TRUE(holds(back, kCell, key_of(job().rank, 7)));
}

std::atomic<int> announced{0};
void on_announce(gex_Token_t token, gex_AM_Arg_t round) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  EXPECT_TRUE(holds(window(job().rank, info.gex_srcrank), kCell, key_of(info.gex_srcrank, round, 11)));
  ++announced;
}
Handler announce(on_announce, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(PutCompletion, AMessageSentAfterAPutIsCompleteFindsTheData) {
  for (gex_AM_Arg_t round = 0; round < 300; ++round) {
    announced = 0;
    barrier();
    const auto source = patterned(kCell, key_of(job().rank, round, 11));
    put(static_cast<Style>(round % 3), right(), window(right(), job().rank), source.data(), kCell);
    gex_AM_RequestShort1(job().tm, right(), announce, 0, round);
    GASNET_BLOCKUNTIL(announced == 1);
  }
}

TEST_F(ImplicitOperations, AreFinishedByCategory) {
  fill(beyond_windows(job().rank), kCell, key_of(job().rank, 21));
  barrier();
  constexpr std::uint32_t kCount = 200;
  std::vector<std::vector<unsigned char>> sources, into(kCount, std::vector<unsigned char>(kCell));
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const gex_Rank_t rank = i % job().size;
    sources.push_back(patterned(kCell, key_of(job().rank, i)));
    ASSERT_EQ(gex_RMA_PutNBI(job().tm, rank, window(rank, job().rank) + i * kCell, sources[i].data(), kCell,
                             i % 2 ? GEX_EVENT_DEFER : GEX_EVENT_GROUP, 0),
              0);
    ASSERT_EQ(gex_RMA_GetNBI(job().tm, into[i].data(), rank, beyond_windows(rank), kCell, 0), 0);
  }
  gex_NBI_Wait(GEX_EC_GET, 0);
  EXPECT_EQ(gex_NBI_Test(GEX_EC_GET, 0), GASNET_OK);
  for (std::uint32_t i = 0; i < kCount; ++i)
    ASSERT_TRUE(holds(into[i].data(), kCell, key_of(i % job().size, 21)));
  gex_NBI_Wait(GEX_EC_PUT, 0);
  EXPECT_EQ(gex_NBI_Test(GEX_EC_PUT | GEX_EC_LC, 0), GASNET_OK);
  EXPECT_EQ(gex_NBI_Test(GEX_EC_ALL, 0), GASNET_OK);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    unsigned char back[kCell];
    const gex_Rank_t rank = i % job().size;
    get(Style::kBlocking, back, rank, window(rank, job().rank) + i * kCell, kCell);
    ASSERT_TRUE(holds(back, kCell, key_of(job().rank, i)));
  }
}

TEST_F(ImplicitOperations, WaitingWithNothingUnderWayReturns) {
  for (gex_EC_t mask : {GEX_EC_PUT, GEX_EC_GET, GEX_EC_LC, GEX_EC_AM, GEX_EC_ALL}) {
    gex_NBI_Wait(mask, 0);
    EXPECT_EQ(gex_NBI_Test(mask, 0), GASNET_OK);
  }
}

TEST_F(ImplicitOperations, AnAccessRegionGathersThemIntoOneEvent) {
  fill(beyond_windows(job().rank), kCell, key_of(job().rank, 22));
  barrier();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<unsigned char>> sources, into(50, std::vector<unsigned char>(kCell));
    gex_NBI_BeginAccessRegion(0);
    for (std::uint32_t i = 0; i < 50; ++i) {
      const gex_Rank_t rank = i % job().size;
      sources.push_back(patterned(kCell, key_of(job().rank, round, i)));
      gex_RMA_PutNBI(job().tm, rank, window(rank, job().rank) + i * kCell, sources[i].data(), kCell,
                     GEX_EVENT_DEFER, 0);
      gex_RMA_GetNBI(job().tm, into[i].data(), rank, beyond_windows(rank), kCell, 0);
      gex_RMA_PutNBIVal(job().tm, rank, window(rank, job().rank) + (50 + i) * kCell, i, 8, 0);
    }
    const gex_Event_t all = gex_NBI_EndAccessRegion(0);
    gex_Event_Wait(all);
    for (std::uint32_t i = 0; i < 50; ++i) {
      const gex_Rank_t rank = i % job().size;
      unsigned char back[kCell];
      ASSERT_TRUE(holds(into[i].data(), kCell, key_of(rank, 22)));
      get(Style::kBlocking, back, rank, window(rank, job().rank) + i * kCell, kCell);
      ASSERT_TRUE(holds(back, kCell, key_of(job().rank, round, i)));
      ASSERT_EQ(gex_RMA_GetBlockingVal(job().tm, rank, window(rank, job().rank) + (50 + i) * kCell, 8, 0), i);
    }
  }
}

TEST_F(ImplicitOperations, AnEmptyAccessRegionIsDone) {
  gex_NBI_BeginAccessRegion(0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
}

TEST_F(ImplicitOperations, OfOneRegionAndOfNoneDoNotMix) {
  const auto source = patterned(kCell, key_of(job().rank, 31));
  gex_RMA_PutNBI(job().tm, right(), window(right(), job().rank), source.data(), kCell, GEX_EVENT_DEFER, 0);
  gex_NBI_BeginAccessRegion(0);
  gex_RMA_PutNBI(job().tm, right(), window(right(), job().rank) + kCell, source.data(), kCell,
                 GEX_EVENT_DEFER, 0);
  const gex_Event_t region = gex_NBI_EndAccessRegion(0);
  gex_NBI_Wait(GEX_EC_ALL, 0);  // the first put
  unsigned char back[kCell];
  get(Style::kBlocking, back, right(), window(right(), job().rank), kCell);
  EXPECT_TRUE(holds(back, kCell, key_of(job().rank, 31)));
  gex_Event_Wait(region);  // the second one
  get(Style::kBlocking, back, right(), window(right(), job().rank) + kCell, kCell);
  EXPECT_TRUE(holds(back, kCell, key_of(job().rank, 31)));
}

}  // namespace
}  // namespace aqueduct::test
