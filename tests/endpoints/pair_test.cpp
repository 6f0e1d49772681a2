// Pairs of endpoints, and teams of endpoints other than the first: messages, put and get between them.
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

#include "endpoints/world.hpp"

namespace aqueduct::test {
namespace {

class Pairs : public Spmd {
 protected:
  void SetUp() override {
    (void)world();
    Spmd::SetUp();
  }
};

TEST_F(Pairs, AreEqualIfMadeOfTheSame) {
  std::vector<gex_TM_t> seen{job().tm};
  for (const gex_EP_t local : world().ep) {
    for (gex_EP_Index_t remote = 0; remote < 3; ++remote) {
      const gex_TM_t made = gex_TM_Pair(local, remote);
      EXPECT_NE(GEX_TM_INVALID, made);
      EXPECT_EQ(made, gex_TM_Pair(local, remote));
      for (const gex_TM_t other : seen) EXPECT_NE(other, made);
      seen.push_back(made);
    }
  }
}

TEST_F(Pairs, NameTheRankInTheJobForPutAndGet) {
  for (const gex_EP_Index_t index : {gex_EP_Index_t{0}, kLibrary, kClient}) {
    SCOPED_TRACE(index);
    const gex_TM_t both = pair(index);
    for (const std::size_t bytes : {1, 8, 1000, 70000, 500000}) {
      const std::uint64_t key = key_of(job().rank, index, bytes);
      const auto mine = patterned(bytes, key);
      std::byte* const there = created(index, right(), 64);
      EXPECT_EQ(0, gex_RMA_PutBlocking(both, right(), there, mine.data(), bytes, 0));
      barrier();
      EXPECT_TRUE(holds(created(index, job().rank, 64), bytes, key_of(left(), index, bytes)));
      std::vector<unsigned char> back(bytes);
      gex_Event_Wait(gex_RMA_GetNB(both, back.data(), right(), there, bytes, 0));
      EXPECT_TRUE(holds(back.data(), bytes, key));
      std::fill(back.begin(), back.end(), static_cast<unsigned char>(0));
      gex_RMA_GetNBI(both, back.data(), right(), reinterpret_cast<void*>(std::uintptr_t{64}), bytes,
                     GEX_FLAG_PEER_SEG_OFFSET);
      gex_NBI_Wait(GEX_EC_GET, 0);
      EXPECT_TRUE(holds(back.data(), bytes, key)) << "offsets count from the segment of that endpoint";
      barrier();
    }
    gex_Event_Wait(gex_RMA_PutNBVal(both, right(), created(index, right()), 4711 + job().rank, 8, 0));
    barrier();
    EXPECT_EQ(4711 + job().rank, gex_RMA_GetBlockingVal(both, right(), created(index, right()), 8, 0));
    barrier();
  }
}

TEST_F(Pairs, NameTheRankInTheJobForVis) {
  for (const gex_EP_Index_t index : {gex_EP_Index_t{0}, kLibrary, kClient}) {
    SCOPED_TRACE(index);
    const std::uint64_t key = key_of(job().rank, index);
    auto mine = patterned(3000, key);
    gex_Memvec_t to[] = {{created(index, right(), 0), 1000}, {created(index, right(), 5000), 2000}};
    gex_Memvec_t from[] = {{mine.data(), 3000}};
    EXPECT_EQ(0, gex_VIS_VectorPutBlocking(pair(index), right(), 2, to, 1, from, 0));
    std::vector<unsigned char> back(3000);
    gex_Memvec_t into[] = {{back.data(), 3000}};
    EXPECT_EQ(0, gex_VIS_VectorGetBlocking(pair(index), 1, into, right(), 2, to, 0));
    EXPECT_TRUE(holds(back.data(), 3000, key));
    barrier();
  }
}

// Messages: every category there and back, through a pair, with and without negotiation.
std::atomic<int> replies{0}, requests{0};
std::atomic<int> own_handler_ran{0};

gex_EP_t endpoint_of(gex_Token_t token, gex_Rank_t* source) {
  gex_Token_Info_t info;
  EXPECT_EQ(GEX_TI_ALL, gex_Token_Info(token, &info, GEX_TI_ALL));
  *source = info.gex_srcrank;
  return info.gex_ep;
}

void on_short_reply(gex_Token_t token, gex_AM_Arg_t index);
void on_payload_reply(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t index);
Handler short_reply(on_short_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
Handler payload_reply(on_payload_reply, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY);

void on_short_reply(gex_Token_t token, gex_AM_Arg_t index) {
  gex_Rank_t source;
  EXPECT_EQ(world().ep[index], endpoint_of(token, &source))
      << "a reply returns to where its request came from";
  EXPECT_EQ(right(), source);
  ++replies;
}
void on_payload_reply(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t index) {
  EXPECT_TRUE(holds(payload, bytes, bytes + 1));
  on_short_reply(token, index);
}

void on_short(gex_Token_t token, gex_AM_Arg_t index) {
  gex_Rank_t source;
  EXPECT_EQ(world().ep[index], endpoint_of(token, &source));
  EXPECT_EQ(left(), source);
  ++requests;
  EXPECT_EQ(0, gex_AM_ReplyShort1(token, short_reply, 0, index));
}
void on_medium(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t index) {
  EXPECT_TRUE(holds(payload, bytes, bytes));
  const auto mine = patterned(bytes, bytes + 1);
  ++requests;
  if (bytes % 2) {
    EXPECT_EQ(0, gex_AM_ReplyMedium1(token, payload_reply, mine.data(), bytes, GEX_EVENT_NOW, 0, index));
  } else {
    gex_AM_SrcDesc_t sd = gex_AM_PrepareReplyMedium(token, nullptr, bytes, bytes, nullptr, 0, 1);
    std::memcpy(gex_AM_SrcDescAddr(sd), mine.data(), bytes);
    gex_AM_CommitReplyMedium1(sd, payload_reply, bytes, index);
  }
}
void* long_reply_to = nullptr;  // in the segment of the left neighbour
void on_long(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t index) {
  EXPECT_EQ(gex_Segment_QueryAddr(world().segment[index]), payload);
  EXPECT_TRUE(holds(payload, bytes, bytes));
  ++requests;
  const std::size_t back = std::min(bytes, gex_AM_LUBReplyMedium());
  const auto mine = patterned(back, back + 1);
  EXPECT_EQ(
      0, gex_AM_ReplyLong1(token, payload_reply, mine.data(), back, long_reply_to, GEX_EVENT_NOW, 0, index));
}
Handler short_request(on_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
Handler medium_request(on_medium, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);
Handler long_request(on_long, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST);

TEST_F(Pairs, CarryMessagesBetweenTheirEndpoints) {
  for (const gex_EP_Index_t index : {gex_EP_Index_t{0}, kLibrary, kClient}) {
    SCOPED_TRACE(index);
    requests = replies = 0;
    long_reply_to = created(index, left(), kCreatedBytes / 2);
    barrier();
    int sent = 0;
    EXPECT_EQ(0, gex_AM_RequestShort1(pair(index), right(), short_request, 0, index));
    ++sent;
    const std::size_t most = gex_AM_MaxRequestMedium(pair(index), right(), nullptr, 0, 1);
    for (std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{5001}, most}) {
      bytes = std::min(bytes, most);
      const auto mine = patterned(bytes, bytes);
      EXPECT_EQ(0, gex_AM_RequestMedium1(pair(index), right(), medium_request, mine.data(), bytes,
                                         GEX_EVENT_NOW, 0, index));
      gex_AM_SrcDesc_t sd =
          gex_AM_PrepareRequestMedium(pair(index), right(), nullptr, bytes, bytes, nullptr, 0, 1);
      std::memcpy(gex_AM_SrcDescAddr(sd), mine.data(), bytes);
      gex_AM_CommitRequestMedium1(sd, medium_request, bytes, index);
      sent += 2;
    }
    GASNET_BLOCKUNTIL(replies == sent && requests == sent);
    barrier();  // nobody counts what comes next among these
    const std::size_t longest = gex_AM_MaxRequestLong(pair(index), right(), nullptr, 0, 1);
    for (std::size_t bytes : {std::size_t{1}, std::size_t{3000}, kCreatedBytes / 2}) {
      bytes = std::min(bytes, longest);
      const auto mine = patterned(bytes, bytes);
      EXPECT_EQ(0, gex_AM_RequestLong1(pair(index), right(), long_request, mine.data(), bytes,
                                       created(index, right()), GEX_EVENT_NOW, 0, index));
      ++sent;
      GASNET_BLOCKUNTIL(replies == sent && requests == sent);
      barrier();
    }
  }
}

// An endpoint's own handler comes before the one of the first endpoint.
void on_own(gex_Token_t) { ++own_handler_ran; }

TEST_F(Pairs, EndpointsHaveHandlersOfTheirOwn) {
  static const gex_AM_Index_t index = [] {
    gex_AM_Entry_t entry = {short_request,
                            reinterpret_cast<gex_AM_Fn_t>(&on_own),
                            GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST,
                            0,
                            nullptr,
                            nullptr};
    EXPECT_EQ(GASNET_OK, gex_EP_RegisterHandlers(world().ep[kClient], &entry, 1));
    return entry.gex_index;
  }();
  EXPECT_EQ(static_cast<gex_AM_Index_t>(short_request), index);
  barrier();
  own_handler_ran = 0;
  barrier();
  gex_AM_RequestShort0(pair(kClient), right(), index, 0);
  GASNET_BLOCKUNTIL(own_handler_ran == 1);
}

TEST_F(Pairs, TeamsMayBeMadeOfOtherEndpoints) {
  std::vector<gex_EP_Location_t> members;
  for (gex_Rank_t rank = job().size; rank-- > 0;) members.push_back({rank, kLibrary});
  gex_TM_t team = GEX_TM_INVALID;
  gex_TM_Create(&team, 1, job().tm, members.data(), members.size(), nullptr, 0,
                GEX_FLAG_TM_NO_SCRATCH | GEX_FLAG_RANK_IS_JOBRANK);
  EXPECT_EQ(world().ep[kLibrary], gex_TM_QueryEP(team));
  EXPECT_EQ(kLibrary, gex_TM_TranslateRankToEP(team, 0, 0).gex_ep_index);
  const gex_Rank_t target = job().size - 1 - right();
  gex_RMA_PutBlockingVal(team, target, created(kLibrary, right(), 128), 5 + job().rank, 8, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  EXPECT_EQ(5 + left(),
            gex_RMA_GetBlockingVal(pair(kLibrary), job().rank, created(kLibrary, job().rank, 128), 8, 0));
  requests = replies = 0;
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gex_AM_RequestShort1(team, target, short_request, 0, kLibrary);
  GASNET_BLOCKUNTIL(replies == 1 && requests == 1);
  gex_TM_Destroy(team, nullptr, 0);
}

// Memory of the client is mapped by its owner alone: whoever else adds to it does so by a message.
TEST_F(Pairs, AtomicsReachTheSegmentsOfOtherEndpoints) {
  for (const gex_EP_Index_t index : {kLibrary, kClient}) {
    std::vector<gex_EP_Location_t> members;
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) members.push_back({job().size - 1 - rank, index});
    gex_TM_t team = GEX_TM_INVALID;
    gex_TM_Create(&team, 1, job().tm, members.data(), members.size(), nullptr, 0,
                  GEX_FLAG_TM_NO_SCRATCH | GEX_FLAG_RANK_IS_JOBRANK);
    gex_AD_t domain;
    gex_AD_Create(&domain, team, GEX_DT_I64, GEX_OP_FADD | GEX_OP_SET | GEX_OP_GET, 0);
    auto* mine = reinterpret_cast<std::int64_t*>(created(index, job().rank));
    *mine = 0;
    barrier();
    for (int i = 0; i < 100; ++i)
      for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
        std::int64_t before = -1;
        gex_Event_Wait(gex_AD_OpNB_I64(domain, &before, job().size - 1 - rank, created(index, rank),
                                       GEX_OP_FADD, 1, 0, 0));
        EXPECT_GE(before, i);
        gex_Event_Wait(gex_AD_OpNB_I64(domain, &before, rank, created(index, rank), GEX_OP_FADD, 1, 0,
                                       GEX_FLAG_RANK_IS_JOBRANK));
        EXPECT_GT(before, i);
      }
    barrier();
    EXPECT_EQ(*mine, 200 * std::int64_t{job().size});
    gex_AD_Destroy(domain);
    gex_TM_Destroy(team, nullptr, 0);
  }
}

}  // namespace
}  // namespace aqueduct::test
