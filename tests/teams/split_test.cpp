// gex_TM_Split: who ends up where, and what a new team says about itself.
#include "support/random.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Split = Spmd;

gex_TM_t split(gex_TM_t parent, int color, int key) {
  gex_TM_t made = GEX_TM_INVALID;
  gex_TM_Split(&made, parent, color, key, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  return made;
}
void destroy(gex_TM_t tm) { EXPECT_EQ(0, gex_TM_Destroy(tm, nullptr, 0)); }

// The members of `tm` are exactly `expected`, as job ranks in the order of their ranks.
void expect_members(gex_TM_t tm, const std::vector<gex_Rank_t>& expected) {
  ASSERT_NE(GEX_TM_INVALID, tm);
  ASSERT_EQ(expected.size(), gex_TM_QuerySize(tm));
  for (gex_Rank_t member = 0; member < expected.size(); ++member) {
    EXPECT_EQ(expected[member], gex_TM_TranslateRankToJobrank(tm, member));
    EXPECT_EQ(member, gex_TM_TranslateJobrankToRank(tm, expected[member]));
    const gex_EP_Location_t location = gex_TM_TranslateRankToEP(tm, member, 0);
    EXPECT_EQ(expected[member], location.gex_rank);
    EXPECT_EQ(0, location.gex_ep_index);
  }
  EXPECT_EQ(job().rank, gex_TM_TranslateRankToJobrank(tm, gex_TM_QueryRank(tm)));
}

TEST_F(Split, CallersOfOneColorBecomeATeamInTheOrderOfTheirRanks) {
  gex_TM_t half = split(job().tm, static_cast<int>(job().rank % 2), 0);
  std::vector<gex_Rank_t> expected;
  for (gex_Rank_t rank = job().rank % 2; rank < job().size; rank += 2) expected.push_back(rank);
  expect_members(half, expected);
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    if (rank % 2 == job().rank % 2) continue;
    EXPECT_EQ(GEX_RANK_INVALID, gex_TM_TranslateJobrankToRank(half, rank));
  }
  destroy(half);
}

TEST_F(Split, KeysOrderTheMembers) {
  gex_TM_t reversed = split(job().tm, 7, -static_cast<int>(job().rank));
  std::vector<gex_Rank_t> expected;
  for (gex_Rank_t rank = job().size; rank-- > 0;) expected.push_back(rank);
  expect_members(reversed, expected);
  destroy(reversed);
}

TEST_F(Split, ACallerThatPassesNullIsInNoTeam) {
  if (job().rank == 0) {
    gex_TM_Split(nullptr, job().tm, 0, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  } else {
    gex_TM_t others = split(job().tm, 0, 0);
    std::vector<gex_Rank_t> expected;
    for (gex_Rank_t rank = 1; rank < job().size; ++rank) expected.push_back(rank);
    expect_members(others, expected);
    destroy(others);
  }
}

TEST_F(Split, ATeamOfOneWorks) {
  gex_TM_t alone = split(job().tm, static_cast<int>(job().rank), 0);
  expect_members(alone, {job().rank});
  gex_Event_Wait(gex_Coll_BarrierNB(alone, 0));
  destroy(alone);
}

TEST_F(Split, ANewTeamKnowsItsClientEndpointFlagsAndData) {
  gex_TM_t first = split(job().tm, 0, 0);
  gex_TM_t second = split(first, 0, 0);
  EXPECT_NE(first, second);
  EXPECT_EQ(job().client, gex_TM_QueryClient(second));
  EXPECT_EQ(job().ep, gex_TM_QueryEP(second));
  EXPECT_EQ(GEX_FLAG_TM_NO_SCRATCH, gex_TM_QueryFlags(second));
  EXPECT_EQ(nullptr, gex_TM_QueryCData(second));
  int here = 0;
  gex_TM_SetCData(second, &here);
  EXPECT_EQ(&here, gex_TM_QueryCData(second));
  EXPECT_EQ(nullptr, gex_TM_QueryCData(first));
  destroy(first);  // a team outlives its parent
  gex_Event_Wait(gex_Coll_BarrierNB(second, 0));
  destroy(second);
}

TEST_F(Split, ScratchSpaceIsAskedForLentAndGivenBack) {
  gex_TM_t made = GEX_TM_INVALID;
  const size_t size = gex_TM_Split(&made, job().tm, 0, 0, nullptr, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
  EXPECT_GT(size, 0u);
  EXPECT_LE(size, kSegmentBytes);
  EXPECT_EQ(GEX_TM_INVALID, made);
  EXPECT_EQ(0u, gex_TM_Split(nullptr, job().tm, 0, 0, nullptr, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED));

  gex_TM_Split(&made, job().tm, 0, 0, local(128), size, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(made, 0));
  gex_Memvec_t scratch{};
  EXPECT_NE(0, gex_TM_Destroy(made, &scratch, 0));
  EXPECT_EQ(static_cast<void*>(local(128)), scratch.gex_addr);
  EXPECT_EQ(size, scratch.gex_len);

  made = split(job().tm, 0, 0);
  scratch = {&scratch, 1};
  EXPECT_EQ(0, gex_TM_Destroy(made, &scratch, GEX_FLAG_GLOBALLY_QUIESCED));
  EXPECT_EQ(&scratch, scratch.gex_addr) << "a team without scratch space gives none back";
}

// Everybody computes what everybody asks for, from the same seed.
TEST_F(Split, RandomColorsAndKeysAgreeWithAModel) {
  gex_TM_t parent = job().tm;
  std::vector<gex_Rank_t> parents;
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) parents.push_back(rank);
  std::vector<gex_TM_t> made;
  for (std::uint32_t depth = 0; depth < 6; ++depth) {
    struct Wish {
      gex_Rank_t rank;
      int color, key;
    };
    std::vector<Wish> wishes;
    const int my_color = [&] {
      int mine = 0;
      for (const gex_Rank_t rank : parents) {
        Random random(key_of(seed(), depth, rank));
        const int color = static_cast<int>(random() % 2);
        wishes.push_back({rank, color, static_cast<int>(random() % 5) - 2});
        if (rank == job().rank) mine = color;
      }
      return mine;
    }();
    int my_key = 0;
    for (const Wish& wish : wishes)
      if (wish.rank == job().rank) my_key = wish.key;
    gex_TM_t next = split(parent, my_color, my_key);
    std::erase_if(wishes, [&](const Wish& wish) { return wish.color != my_color; });
    std::stable_sort(wishes.begin(), wishes.end(),
                     [](const Wish& a, const Wish& b) { return a.key < b.key; });
    parents.clear();
    for (const Wish& wish : wishes) parents.push_back(wish.rank);
    expect_members(next, parents);
    made.push_back(next);
    parent = next;
  }
  // Destroyed from the largest to the smallest, so that parents go before their children.
  for (gex_TM_t tm : made) destroy(tm);
}

}  // namespace
}  // namespace aqueduct::test
