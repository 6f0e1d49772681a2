// What a handler learns from its token, and what the limit queries promise.
#include <algorithm>
#include <atomic>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Tokens = Spmd;
using MessageLimits = Spmd;

struct Seen {
  gex_TI_t valid = 0;
  gex_Token_Info_t info{};
  std::size_t max_reply_medium = 0, max_reply_long = 0;
};
Seen request, reply;
std::atomic<int> replies{0};

void look(gex_Token_t token, Seen& seen) { seen.valid = gex_Token_Info(token, &seen.info, GEX_TI_ALL); }

void on_short_reply(gex_Token_t token, gex_AM_Arg_t) { look(token, reply), ++replies; }
Handler short_reply(on_short_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, "short_reply");
void on_short(gex_Token_t token, gex_AM_Arg_t a) {
  look(token, request);
  request.max_reply_medium = gex_Token_MaxReplyMedium(token, GEX_EVENT_NOW, 0, 1);
  request.max_reply_long = gex_Token_MaxReplyLong(token, GEX_EVENT_NOW, 0, 1);
  gex_AM_ReplyShort1(token, short_reply, 0, a);
}
Handler short_request(on_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, "short_request");

void on_long_reply(gex_Token_t token, void*, std::size_t) { look(token, reply), ++replies; }
Handler long_reply(on_long_reply, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, "long_reply");
void on_long(gex_Token_t token, void*, std::size_t) {
  look(token, request);
  char payload[16] = {};
  gex_AM_ReplyLong0(token, long_reply, payload, sizeof payload, remote(request.info.gex_srcrank, 4096),
                    GEX_EVENT_NOW, 0);
}
Handler long_request(on_long, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, "long_request");

void expect_facts(const Seen& seen, gex_Rank_t source, bool is_request, bool is_long, gex_AM_Index_t handler,
                  const char* name) {
  ASSERT_EQ(seen.valid & (GEX_TI_SRCRANK | GEX_TI_EP), GEX_TI_SRCRANK | GEX_TI_EP);
  EXPECT_EQ(seen.info.gex_srcrank, source);
  EXPECT_EQ(seen.info.gex_ep, job().ep);
#if GASNET_SUPPORTS_TI_IS_REQ
  EXPECT_TRUE(seen.valid & GEX_TI_IS_REQ);
  EXPECT_EQ(seen.info.gex_is_req, is_request ? 1 : 0);
#endif
#if GASNET_SUPPORTS_TI_IS_LONG
  EXPECT_TRUE(seen.valid & GEX_TI_IS_LONG);
  EXPECT_EQ(seen.info.gex_is_long, is_long ? 1 : 0);
#endif
#if GASNET_SUPPORTS_TI_ENTRY
  EXPECT_TRUE(seen.valid & GEX_TI_ENTRY);
  ASSERT_NE(seen.info.gex_entry, nullptr);
  EXPECT_EQ(seen.info.gex_entry->gex_index, handler);
  EXPECT_STREQ(seen.info.gex_entry->gex_name, name);
#endif
}

// Ranks ask one after the other, so each knows who looked last.
template <class Ask>
void in_turn(Ask ask) {
  for (gex_Rank_t turn = 0; turn < job().size; ++turn) {
    replies = 0;
    barrier();
    if (turn == job().rank) {
      ask();
      GASNET_BLOCKUNTIL(replies == 1);
    }
    barrier();
    if (turn == left()) {
      EXPECT_EQ(request.info.gex_srcrank, left());
    }
  }
}

TEST_F(Tokens, TellWhoSentAShortAndOfWhatKindItIs) {
  in_turn([] {
    gex_AM_RequestShort1(job().tm, right(), short_request, 0, 1);
    GASNET_BLOCKUNTIL(replies == 1);
    expect_facts(reply, right(), false, false, short_reply, "short_reply");
  });
  expect_facts(request, left(), true, false, short_request, "short_request");
}

TEST_F(Tokens, TellWhoSentALongAndOfWhatKindItIs) {
  in_turn([] {
    char payload[16] = {};
    gex_AM_RequestLong0(job().tm, right(), long_request, payload, sizeof payload, remote(right()),
                        GEX_EVENT_NOW, 0);
    GASNET_BLOCKUNTIL(replies == 1);
    expect_facts(reply, right(), false, true, long_reply, "long_reply");
  });
  expect_facts(request, left(), true, true, long_request, "long_request");
}

TEST_F(Tokens, LimitsAskedThroughATokenEqualThoseAskedThroughTheTeam) {
  in_turn([] { gex_AM_RequestShort1(job().tm, right(), short_request, 0, 1); });
  EXPECT_EQ(request.max_reply_medium, gex_AM_MaxReplyMedium(job().tm, left(), GEX_EVENT_NOW, 0, 1));
  EXPECT_EQ(request.max_reply_long, gex_AM_MaxReplyLong(job().tm, left(), GEX_EVENT_NOW, 0, 1));
}

using MaxQuery = std::size_t (*)(gex_Rank_t, const gex_Event_t*, gex_Flags_t, unsigned);
struct LimitPair {
  const char* name;
  MaxQuery max;
  std::size_t (*least)();
};
// The queries may be macros, so they are wrapped before they are put into a table.
const LimitPair kLimits[] = {
    {"RequestMedium",
     [](gex_Rank_t r, const gex_Event_t* lc, gex_Flags_t f, unsigned n) {
       return gex_AM_MaxRequestMedium(job().tm, r, lc, f, n);
     },
     [] { return gex_AM_LUBRequestMedium(); }},
    {"ReplyMedium",
     [](gex_Rank_t r, const gex_Event_t* lc, gex_Flags_t f, unsigned n) {
       return gex_AM_MaxReplyMedium(job().tm, r, lc, f, n);
     },
     [] { return gex_AM_LUBReplyMedium(); }},
    {"RequestLong",
     [](gex_Rank_t r, const gex_Event_t* lc, gex_Flags_t f, unsigned n) {
       return gex_AM_MaxRequestLong(job().tm, r, lc, f, n);
     },
     [] { return gex_AM_LUBRequestLong(); }},
    {"ReplyLong",
     [](gex_Rank_t r, const gex_Event_t* lc, gex_Flags_t f, unsigned n) {
       return gex_AM_MaxReplyLong(job().tm, r, lc, f, n);
     },
     [] { return gex_AM_LUBReplyLong(); }},
};

TEST_F(MessageLimits, AreAtLeast512BytesAndDoNotGrowWithTheNumberOfArguments) {
  gex_Event_t event;
  for (const auto& limit : kLimits)
    for (const gex_Event_t* lc :
         {static_cast<const gex_Event_t*>(GEX_EVENT_NOW), static_cast<const gex_Event_t*>(&event)})
      for (gex_Flags_t flags : {gex_Flags_t{0}, gex_Flags_t{GEX_FLAG_IMMEDIATE}})
        for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
          std::size_t before = static_cast<std::size_t>(-1);
          for (unsigned n = 0; n <= gex_AM_MaxArgs(); ++n) {
            const std::size_t max = limit.max(rank, lc, flags, n);
            EXPECT_GE(max, 512u) << limit.name;
            EXPECT_LE(max, before) << limit.name << " grew at " << n << " arguments";
            before = max;
          }
        }
}

TEST_F(MessageLimits, OfAllRanksTogetherAreTheSmallestOverTheRanks) {
  for (const auto& limit : kLimits)
    for (unsigned n : {0u, 7u, 16u}) {
      std::size_t smallest = static_cast<std::size_t>(-1);
      for (gex_Rank_t rank = 0; rank < job().size; ++rank)
        smallest = std::min(smallest, limit.max(rank, GEX_EVENT_NOW, 0, n));
      EXPECT_EQ(limit.max(GEX_RANK_INVALID, GEX_EVENT_NOW, 0, n), smallest) << limit.name;
    }
}

TEST_F(MessageLimits, TheGuaranteedSizeIsTheSmallestLimitThatOccurs) {
  for (const auto& limit : kLimits) {
    std::size_t smallest = static_cast<std::size_t>(-1);
    gex_Event_t event;
    for (const gex_Event_t* lc :
         {static_cast<const gex_Event_t*>(GEX_EVENT_NOW), static_cast<const gex_Event_t*>(&event)})
      for (unsigned n = 0; n <= gex_AM_MaxArgs(); ++n)
        smallest = std::min(smallest, limit.max(GEX_RANK_INVALID, lc, 0, n));
    EXPECT_EQ(limit.least(), smallest) << limit.name;
  }
}

std::atomic<std::uint64_t> told{0};
void on_tell(gex_Token_t, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  told = static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low);
}
Handler tell(on_tell, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(MessageLimits, AreTheSameSeenFromEitherEnd) {
  for (const auto& limit : kLimits) {
    told = 0;
    barrier();
    const std::uint64_t mine = limit.max(right(), GEX_EVENT_NOW, 0, 3);
    gex_AM_RequestShort2(job().tm, right(), tell, 0, static_cast<gex_AM_Arg_t>(mine >> 32),
                         static_cast<gex_AM_Arg_t>(mine));
    GASNET_BLOCKUNTIL(told != 0);
    EXPECT_EQ(told, limit.max(left(), GEX_EVENT_NOW, 0, 3)) << limit.name;
    barrier();
  }
}

TEST_F(MessageLimits, EveryArgumentOfAQueryIsEvaluatedOnce) {
  int teams = 0, ranks = 0, lcs = 0, flags = 0, counts = 0;
  auto team = [&] { return ++teams, job().tm; };
  auto rank = [&] { return ++ranks, gex_Rank_t{0}; };
  auto lc = [&] { return ++lcs, GEX_EVENT_NOW; };
  auto flag = [&] { return ++flags, gex_Flags_t{0}; };
  auto count = [&] { return ++counts, 1u; };
  (void)gex_AM_MaxRequestMedium(team(), rank(), lc(), flag(), count());
  (void)gex_AM_MaxReplyLong(team(), rank(), lc(), flag(), count());
  for (int evaluations : {teams, ranks, lcs, flags, counts}) EXPECT_EQ(evaluations, 2);
}

}  // namespace
}  // namespace aqueduct::test
