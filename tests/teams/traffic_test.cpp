// What a team is for: messages, put and get, and barriers among its members.
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

class Traffic : public Spmd {
 protected:
  // All ranks in reverse order, so that no rank but the middle one is the same as in the job.
  void SetUp() override {
    Spmd::SetUp();
    gex_TM_Split(&reversed_, job().tm, 0, -static_cast<int>(job().rank), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_TM_Split(&half_, job().tm, static_cast<int>(job().rank % 2), 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  }
  void TearDown() override {
    gex_TM_Destroy(half_, nullptr, 0);
    gex_TM_Destroy(reversed_, nullptr, 0);
    Spmd::TearDown();
  }
  static gex_Rank_t reverse(gex_Rank_t rank) { return job().size - 1 - rank; }

  gex_TM_t reversed_ = GEX_TM_INVALID;
  gex_TM_t half_ = GEX_TM_INVALID;
};

std::atomic<std::uint32_t> requests{0};
std::atomic<gex_Rank_t> last_source{0};
void on_request(gex_Token_t token, gex_AM_Arg_t);
void on_reply(gex_Token_t token, gex_AM_Arg_t value);
Handler request_handler(on_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
Handler reply_handler(on_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
std::atomic<int> replies{0};

void on_request(gex_Token_t token, gex_AM_Arg_t value) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  last_source = info.gex_srcrank;
  ++requests;
  gex_AM_ReplyShort1(token, reply_handler, 0, value);
}
void on_reply(gex_Token_t, gex_AM_Arg_t value) { replies += value; }

TEST_F(Traffic, ARankInATeamNamesAMemberInMessages) {
  requests = 0;
  replies = 0;
  barrier();
  const gex_Rank_t target = reverse(right());
  gex_AM_RequestShort1(reversed_, target, request_handler, 0, 7);
  GASNET_BLOCKUNTIL(replies == 7 && requests == 1);
  EXPECT_EQ(left(), last_source) << "a token tells the job rank";
}

TEST_F(Traffic, ARankInATeamNamesAMemberInPutAndGet) {
  const std::uint64_t mine = 1000 + job().rank;
  gex_RMA_PutBlocking(reversed_, reverse(right()), remote(right(), 64), &mine, sizeof mine, 0);
  barrier();
  std::uint64_t here = 0;
  std::memcpy(&here, local(64), sizeof here);
  EXPECT_EQ(1000 + left(), here);
  gex_Event_Wait(gex_RMA_GetNB(reversed_, &here, reverse(left()), remote(left(), 64), sizeof here, 0));
  EXPECT_EQ(1000u + (left() + job().size - 1) % job().size, here);
  EXPECT_EQ(here, gex_RMA_GetBlockingVal(reversed_, reverse(left()), remote(left(), 64), sizeof here, 0));
  barrier();
}

TEST_F(Traffic, ABarrierHoldsItsMembersAndNobodyElse) {
  // Each half passes as many barriers as it likes; everybody's counter lies with the lowest of its half.
  const gex_Rank_t lowest = job().rank % 2;
  const gex_Rank_t members = gex_TM_QuerySize(half_);
  const gex_Rank_t me = gex_TM_QueryRank(half_);
  const std::uint32_t rounds = scaled(20) * (1 + lowest);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    gex_RMA_PutBlockingVal(half_, 0, remote(lowest, 256 + 8 * me), round, 8, 0);
    gex_Event_Wait(gex_Coll_BarrierNB(half_, 0));
    for (gex_Rank_t member = 0; member < members; ++member) {
      const std::uint64_t seen = gex_RMA_GetBlockingVal(half_, 0, remote(lowest, 256 + 8 * member), 8, 0);
      ASSERT_TRUE(seen == round || seen == round + 1) << "member " << member << " round " << round;
    }
  }
}

TEST_F(Traffic, BarriersOfSeveralTeamsInterleave) {
  for (std::uint32_t round = 0; round < scaled(20); ++round) {
    gex_Event_t events[] = {gex_Coll_BarrierNB(half_, 0), gex_Coll_BarrierNB(reversed_, 0),
                            gex_Coll_BarrierNB(job().tm, 0), gex_Coll_BarrierNB(half_, 0),
                            gex_Coll_BarrierNB(reversed_, 0)};
    gex_Event_WaitAll(events, 5, 0);
  }
}

TEST_F(Traffic, ATeamCanBeUsedAtOnceAndDestroyedAtOnce) {
  for (std::uint32_t round = 0; round < scaled(30); ++round) {
    gex_TM_t made = GEX_TM_INVALID;
    gex_TM_Split(&made, half_, static_cast<int>(round % 2), 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_Event_Wait(gex_Coll_BarrierNB(made, 0));
    gex_TM_Destroy(made, nullptr, 0);
  }
}

#if GASNET_PAR
// Teams of different parents may be made at the same time, each by a thread of its own.
TEST_F(Traffic, ThreadsMakeTeamsOfDifferentParentsAtOnce) {
  auto make_and_destroy = [](gex_TM_t parent, int seed) {
    for (std::uint32_t round = 0; round < scaled(20); ++round) {
      gex_TM_t made = GEX_TM_INVALID;
      const int color = static_cast<int>((job().rank + round) % 2);
      gex_TM_Split(&made, parent, color, seed, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
      EXPECT_EQ(job().rank, gex_TM_TranslateRankToJobrank(made, gex_TM_QueryRank(made)));
      gex_Event_Wait(gex_Coll_BarrierNB(made, 0));
      gex_TM_Destroy(made, nullptr, 0);
    }
  };
  std::thread other(make_and_destroy, reversed_, 1);
  make_and_destroy(half_, 2);
  other.join();
}
#endif

}  // namespace
}  // namespace aqueduct::test
