// gex_TM_Create: teams from lists of members.
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Create = Spmd;

// The members that `rank` is in a team with: ranks below or from the middle on, in descending order.
std::vector<gex_EP_Location_t> half_of(gex_Rank_t rank) {
  const gex_Rank_t middle = job().size / 2;
  const gex_Rank_t begin = rank < middle ? 0 : middle, end = rank < middle ? middle : job().size;
  std::vector<gex_EP_Location_t> members;
  for (gex_Rank_t member = end; member-- > begin;) members.push_back({member, 0});
  return members;
}

TEST_F(Create, MembersHaveTheRanksOfTheList) {
  std::vector<gex_EP_Location_t> members = half_of(job().rank);
  gex_TM_t made = GEX_TM_INVALID;
  gex_TM_Create(&made, 1, job().tm, members.data(), members.size(), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  ASSERT_NE(GEX_TM_INVALID, made);
  ASSERT_EQ(members.size(), gex_TM_QuerySize(made));
  for (gex_Rank_t member = 0; member < members.size(); ++member)
    EXPECT_EQ(members[member].gex_rank, gex_TM_TranslateRankToJobrank(made, member));
  EXPECT_EQ(job().rank, gex_TM_TranslateRankToJobrank(made, gex_TM_QueryRank(made)));
  gex_Event_Wait(gex_Coll_BarrierNB(made, 0));
  gex_TM_Destroy(made, nullptr, 0);
}

TEST_F(Create, RanksAreThoseOfTheParentUnlessTheFlagSaysTheJob) {
  gex_TM_t reversed = GEX_TM_INVALID;
  gex_TM_Split(&reversed, job().tm, 0, -static_cast<int>(job().rank), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (const bool in_job : {false, true}) {
    std::vector<gex_EP_Location_t> members;
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) members.push_back({rank, 0});
    gex_TM_t made = GEX_TM_INVALID;
    gex_TM_Create(&made, 1, reversed, members.data(), members.size(), nullptr, 0,
                  GEX_FLAG_TM_NO_SCRATCH | (in_job ? GEX_FLAG_RANK_IS_JOBRANK : 0));
    for (gex_Rank_t rank = 0; rank < job().size; ++rank)
      EXPECT_EQ(in_job ? rank : job().size - 1 - rank, gex_TM_TranslateRankToJobrank(made, rank));
    gex_TM_Destroy(made, nullptr, 0);
  }
  gex_TM_Destroy(reversed, nullptr, 0);
}

TEST_F(Create, ACallerMayBelongToNoTeam) {
  std::vector<gex_EP_Location_t> members;
  for (gex_Rank_t rank = 1; rank < job().size; ++rank) members.push_back({rank, 0});
  gex_TM_t made = GEX_TM_INVALID;
  const bool joins = job().rank != 0;
  gex_TM_Create(&made, joins, job().tm, members.data(), joins ? members.size() : 0, nullptr, 0,
                GEX_FLAG_TM_NO_SCRATCH);
  EXPECT_EQ(joins, made != GEX_TM_INVALID);
  if (joins) gex_TM_Destroy(made, nullptr, 0);
}

TEST_F(Create, ScratchSpaceIsLocalSymmetricOrGlobal) {
  std::vector<gex_EP_Location_t> members = half_of(job().rank);
  gex_TM_t made = GEX_TM_INVALID;
  const size_t size = gex_TM_Create(nullptr, 1, job().tm, members.data(), members.size(), nullptr, 0,
                                    GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
  EXPECT_GT(size, 0u);
  auto expect_scratch = [&](std::vector<gex_Addr_t> addresses, gex_Flags_t kind, void* expected) {
    gex_TM_Create(&made, 1, job().tm, members.data(), members.size(), addresses.data(), size, kind);
    gex_Memvec_t scratch{};
    EXPECT_NE(0, gex_TM_Destroy(made, &scratch, 0));
    EXPECT_EQ(expected, scratch.gex_addr);
    EXPECT_EQ(size, scratch.gex_len);
  };
  expect_scratch({local(64)}, GEX_FLAG_TM_LOCAL_SCRATCH, local(64));
  std::vector<gex_Addr_t> all;
  for (const gex_EP_Location_t& member : members)
    all.push_back(remote(member.gex_rank, 64 * member.gex_rank));
  expect_scratch(all, GEX_FLAG_TM_GLOBAL_SCRATCH, local(64 * job().rank));
  const gex_Flags_t offset = GEX_FLAG_TM_SYMMETRIC_SCRATCH | GEX_FLAG_SCRATCH_SEG_OFFSET;
  expect_scratch({reinterpret_cast<gex_Addr_t>(std::uintptr_t{256})}, offset, local(256));

  gex_Addr_t here = local(512);
  gex_TM_Create(&made, 1, job().tm, members.data(), members.size(), &here, size, GEX_FLAG_TM_LOCAL_SCRATCH);
  gex_Memvec_t scratch{};
  EXPECT_NE(0, gex_TM_Destroy(made, &scratch, GEX_FLAG_SCRATCH_SEG_OFFSET));
  EXPECT_EQ(reinterpret_cast<void*>(std::uintptr_t{512}), scratch.gex_addr);
}

}  // namespace
}  // namespace aqueduct::test
