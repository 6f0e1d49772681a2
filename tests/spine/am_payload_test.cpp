// Payloads of active messages: every size that sits on a boundary arrives whole, and before the handler runs.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Payloads = Spmd;
constexpr gex_Flags_t kMediumRequest = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST;
constexpr gex_Flags_t kMediumReply = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY;
constexpr gex_Flags_t kLongRequest = GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST;
constexpr gex_Flags_t kLongReply = GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY;

// The segment of each rank: one window for requests from each source, and one for replies, of 1 MiB if so
// many fit.
constexpr std::size_t kLargestWindow = std::size_t{1} << 20;
std::size_t window_bytes() { return std::min(kLargestWindow, kSegmentBytes / (2 * job().size)); }
std::byte* request_window(gex_Rank_t target, gex_Rank_t source) {
  return remote(target, source * 2 * window_bytes());
}
std::byte* reply_window(gex_Rank_t target, gex_Rank_t source) {
  return remote(target, (source * 2 + 1) * window_bytes());
}

std::atomic<int> replies{0};
std::vector<unsigned char> echo_buffer(
    kLargestWindow);  // handlers of one rank run one at a time in these tests

gex_Rank_t source_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  return info.gex_srcrank;
}

void on_medium_reply(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t sent,
                     gex_AM_Arg_t id) {
  EXPECT_EQ(bytes, static_cast<std::size_t>(sent));
  EXPECT_TRUE(holds(payload, bytes, key_of(job().rank, source_of(token), id, 1)));
  ++replies;
}
Handler medium_reply(on_medium_reply, kMediumReply);

void on_medium(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t sent, gex_AM_Arg_t id) {
  EXPECT_EQ(bytes, static_cast<std::size_t>(sent));
  EXPECT_TRUE(holds(payload, bytes, key_of(source_of(token), job().rank, id)));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(payload) % 8, 0u) << "medium payloads are aligned for eight bytes";
  fill(echo_buffer.data(), bytes, key_of(source_of(token), job().rank, id, 1));
  gex_AM_ReplyMedium2(token, medium_reply, echo_buffer.data(), bytes, GEX_EVENT_NOW, 0, sent, id);
}
Handler medium(on_medium, kMediumRequest);

void on_long_reply(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t sent, gex_AM_Arg_t id) {
  EXPECT_EQ(bytes, static_cast<std::size_t>(sent));
  EXPECT_EQ(payload, reply_window(job().rank, source_of(token)) + id % 7);
  EXPECT_TRUE(holds(payload, bytes, key_of(job().rank, source_of(token), id, 1)));
  ++replies;
}
Handler long_reply(on_long_reply, kLongReply);

void on_long(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t sent, gex_AM_Arg_t id) {
  const gex_Rank_t source = source_of(token);
  EXPECT_EQ(bytes, static_cast<std::size_t>(sent));
  EXPECT_EQ(payload, request_window(job().rank, source) + id % 7) << "the destination comes as it was given";
  EXPECT_TRUE(holds(payload, bytes, key_of(source, job().rank, id)));
  fill(echo_buffer.data(), bytes, key_of(source, job().rank, id, 1));
  gex_AM_ReplyLong2(token, long_reply, echo_buffer.data(), bytes, reply_window(source, job().rank) + id % 7,
                    GEX_EVENT_NOW, 0, sent, id);
}
Handler long_(on_long, kLongRequest);

std::vector<std::size_t> boundary_sizes(std::size_t largest) {
  std::vector<std::size_t> sizes{0,   1,    2,    3,    7,    8,    9,    15,   16,   31,    32,    33,
                                 47,  48,   63,   64,   65,   127,  128,  255,  256,  257,   511,   512,
                                 513, 1023, 1024, 1025, 2047, 2048, 4095, 4096, 4097, 16384, 65535, 65536};
  for (std::size_t below : {std::size_t{1}, std::size_t{0}})
    if (largest > below) sizes.push_back(largest - below);
  std::erase_if(sizes, [&](std::size_t bytes) { return bytes > largest; });
  return sizes;
}

TEST_F(Payloads, MediumPayloadsOfEverySizeArriveWholeAndEchoBack) {
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    const std::size_t largest =
        std::min({gex_AM_MaxRequestMedium(job().tm, rank, GEX_EVENT_NOW, 0, 2),
                  gex_AM_MaxReplyMedium(job().tm, rank, GEX_EVENT_NOW, 0, 2), echo_buffer.size()});
    gex_AM_Arg_t id = 0;
    for (std::size_t bytes : boundary_sizes(largest)) {
      replies = 0;
      const auto payload = patterned(bytes, key_of(job().rank, rank, ++id));
      ASSERT_EQ(gex_AM_RequestMedium2(job().tm, rank, medium, payload.data(), bytes, GEX_EVENT_NOW, 0,
                                      static_cast<gex_AM_Arg_t>(bytes), id),
                0);
      GASNET_BLOCKUNTIL(replies == 1);
    }
  }
}

TEST_F(Payloads, LongPayloadsUpToOneMebibyteArriveWholeAndEchoBack) {
  for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
    const std::size_t largest =
        std::min({gex_AM_MaxRequestLong(job().tm, rank, GEX_EVENT_NOW, 0, 2),
                  gex_AM_MaxReplyLong(job().tm, rank, GEX_EVENT_NOW, 0, 2), window_bytes() - 8});
    gex_AM_Arg_t id = 0;
    for (std::size_t bytes : boundary_sizes(largest)) {
      replies = 0;
      const auto payload = patterned(bytes, key_of(job().rank, rank, ++id));
      ASSERT_EQ(gex_AM_RequestLong2(job().tm, rank, long_, payload.data(), bytes,
                                    request_window(rank, job().rank) + id % 7, GEX_EVENT_NOW, 0,
                                    static_cast<gex_AM_Arg_t>(bytes), id),
                0);
      GASNET_BLOCKUNTIL(replies == 1);
    }
  }
}

// Handlers that go on after they have replied.
std::atomic<int> late_replies{0};
constexpr std::size_t kEcho = 3000;  // medium payloads of this size take another way than small ones

void on_late_reply(gex_Token_t token, void* payload, std::size_t bytes) {
  EXPECT_TRUE(holds(payload, bytes, key_of(job().rank, bytes))) << "an echo from rank " << source_of(token);
  ++late_replies;
}
Handler late_reply(on_late_reply, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY);

void on_reply_first(gex_Token_t token, void* payload, std::size_t bytes) {
  const gex_Rank_t source = source_of(token);
  gex_AM_ReplyMedium0(token, late_reply, payload, bytes, GEX_EVENT_NOW, 0);  // straight from where it arrived
  usleep(100);
  EXPECT_TRUE(holds(payload, bytes, key_of(source, bytes)))
      << "the payload is the handler's until it returns";
}
Handler reply_first(on_reply_first, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);

void on_reply_and_scribble(gex_Token_t token, void* payload, std::size_t bytes) {
  static unsigned char copy[kEcho];
  std::memcpy(copy, payload, bytes);
  gex_AM_ReplyMedium0(token, late_reply, copy, bytes, GEX_EVENT_NOW, 0);
  std::memset(copy, 0xEE, sizeof copy);  // ours again, although the handler has not returned
}
Handler reply_and_scribble(on_reply_and_scribble, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);

void on_long_echo(gex_Token_t token, void* payload, std::size_t bytes) {
  const gex_Rank_t source = source_of(token);
  gex_AM_ReplyLong0(token, late_reply, payload, bytes, reply_window(source, job().rank), GEX_EVENT_NOW, 0);
  std::memset(payload, 0xEE, bytes);  // in our segment, and copied
}
Handler long_echo(on_long_echo, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST);

std::size_t largest_echo() { return std::min({kEcho, gex_AM_LUBRequestMedium(), gex_AM_LUBReplyMedium()}); }

template <class Send>
void expect_echoes(Send send) {
  for (int round = 0; round < 20; ++round)
    for (std::size_t bytes : {std::size_t{8}, std::size_t{300}, largest_echo()})
      for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
        late_replies = 0;
        send(rank, patterned(bytes, key_of(job().rank, bytes)));
        GASNET_BLOCKUNTIL(late_replies == 1);
      }
}

TEST_F(Payloads, AMediumStaysReadableAfterItsReplyWasSentFromTheSameBuffer) {
  expect_echoes([](gex_Rank_t rank, const std::vector<unsigned char>& payload) {
    gex_AM_RequestMedium0(job().tm, rank, reply_first, payload.data(), payload.size(), GEX_EVENT_NOW, 0);
  });
}

TEST_F(Payloads, TheSourceOfAReplyIsFreeBeforeTheHandlerReturns) {
  expect_echoes([](gex_Rank_t rank, const std::vector<unsigned char>& payload) {
    gex_AM_RequestMedium0(job().tm, rank, reply_and_scribble, payload.data(), payload.size(), GEX_EVENT_NOW,
                          0);
  });
}

TEST_F(Payloads, ALongIsEchoedFromWhereItArrived) {
  // Two places that take turns: the next request may be written while the handler of the last one, which has
  // replied, still overwrites its payload.
  std::vector<std::size_t> sent(job().size);
  expect_echoes([&](gex_Rank_t rank, const std::vector<unsigned char>& payload) {
    gex_AM_RequestLong0(job().tm, rank, long_echo, payload.data(), payload.size(),
                        request_window(rank, job().rank) + sent[rank]++ % 2 * kEcho, GEX_EVENT_NOW, 0);
  });
}

std::atomic<int> empty_longs{0};
void on_empty_long(gex_Token_t, void* destination, std::size_t bytes, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  const auto sent =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(destination), sent);
  ++empty_longs;
}
Handler empty_long(on_empty_long, kLongRequest);

TEST_F(Payloads, AnEmptyLongDeliversItsDestinationAsGiven) {
  empty_longs = 0;
  barrier();
  const auto destination = reinterpret_cast<std::uint64_t>(remote(right(), 12345));
  gex_AM_RequestLong2(job().tm, right(), empty_long, nullptr, 0, remote(right(), 12345), GEX_EVENT_NOW, 0,
                      static_cast<gex_AM_Arg_t>(destination >> 32), static_cast<gex_AM_Arg_t>(destination));
  GASNET_BLOCKUNTIL(empty_longs == 1);
}

std::atomic<std::uint32_t> in_order{0};
void on_stream(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t sequence) {
  EXPECT_TRUE(holds(payload, bytes, key_of(source_of(token), sequence, 9)))
      << "the handler ran before its payload";
  ++in_order;
}
Handler stream(on_stream, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST);

TEST_F(Payloads, TheHandlerNeverRunsBeforeItsPayloadHasArrived) {
  in_order = 0;
  barrier();
  const std::uint32_t rounds = scaled(3000);
  auto random = own_random();
  constexpr std::size_t kSlots = 64,
                        kSlot = 4096;  // many longs are under way at once, each in a slot of its own
  std::vector<unsigned char> payload(kSlot);
  for (std::uint32_t sequence = 0; sequence < rounds; ++sequence) {
    const std::size_t bytes =
        1 + random() % std::min(kSlot, gex_AM_MaxRequestLong(job().tm, right(), GEX_EVENT_NOW, 0, 1));
    fill(payload.data(), bytes, key_of(job().rank, sequence, 9));
    if (sequence % 2 == 0) {
      const std::size_t medium_bytes =
          std::min(bytes, gex_AM_MaxRequestMedium(job().tm, right(), GEX_EVENT_NOW, 0, 1));
      gex_AM_RequestMedium1(job().tm, right(), stream, payload.data(), medium_bytes, GEX_EVENT_NOW, 0,
                            static_cast<gex_AM_Arg_t>(sequence));
    } else {
      // A slot is written again only after all earlier longs have been seen.
      if (sequence / 2 % kSlots == 0) barrier();
      gex_AM_RequestLong1(job().tm, right(), stream, payload.data(), bytes,
                          remote(right(), (sequence / 2 % kSlots) * kSlot), GEX_EVENT_NOW, 0,
                          static_cast<gex_AM_Arg_t>(sequence));
      if (sequence / 2 % kSlots == kSlots - 1) GASNET_BLOCKUNTIL(in_order >= sequence + 1);
    }
  }
  GASNET_BLOCKUNTIL(in_order == rounds);
}

}  // namespace
}  // namespace aqueduct::test
