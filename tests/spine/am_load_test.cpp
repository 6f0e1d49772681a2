// Active messages under load: each arrives exactly once, each reply finds its request, and nothing deadlocks.
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Load = Spmd;

// What has been seen of one run. The arrays are sized before the ranks start sending and only counted up by
// handlers.
struct Ledger {
  std::uint32_t per_peer = 0;
  std::unique_ptr<std::atomic<std::uint8_t>[]>
      requests;  // [source][sequence]: how often that request ran here
  std::unique_ptr<std::atomic<std::uint8_t>[]> replies;  // [target][sequence]: how often its reply ran here
  std::atomic<std::uint32_t> requests_seen{0}, replies_seen{0};

  void open(std::uint32_t messages_per_peer) {
    per_peer = messages_per_peer;
    const std::size_t cells = std::size_t{job().size} * per_peer;
    requests = std::make_unique<std::atomic<std::uint8_t>[]>(cells);
    replies = std::make_unique<std::atomic<std::uint8_t>[]>(cells);
    requests_seen = replies_seen = 0;
    barrier();
  }
  static void mark(std::unique_ptr<std::atomic<std::uint8_t>[]>& cells, std::atomic<std::uint32_t>& seen,
                   std::uint32_t per_peer, gex_Rank_t peer, gex_AM_Arg_t sequence) {
    ASSERT_LT(static_cast<std::uint32_t>(sequence), per_peer);
    EXPECT_EQ(cells[std::size_t{peer} * per_peer + static_cast<std::uint32_t>(sequence)].fetch_add(1), 0)
        << "message " << sequence << " of rank " << peer << " ran twice";
    ++seen;
  }
  void request(gex_Rank_t source, gex_AM_Arg_t sequence) {
    mark(requests, requests_seen, per_peer, source, sequence);
  }
  void reply(gex_Rank_t target, gex_AM_Arg_t sequence) {
    mark(replies, replies_seen, per_peer, target, sequence);
  }

  /// Waits for all messages that concern this rank, then looks for any that come too much.
  void close() {
    const std::uint32_t all = job().size * per_peer;
    GASNET_BLOCKUNTIL(requests_seen == all && replies_seen == all);
    barrier();
    for (int i = 0; i < 100; ++i) gasnet_AMPoll();
    EXPECT_EQ(requests_seen, all);
    EXPECT_EQ(replies_seen, all);
    for (std::size_t cell = 0; cell < all; ++cell) {
      ASSERT_EQ(requests[cell].load(), 1) << "request " << cell % per_peer << " of rank " << cell / per_peer;
      ASSERT_EQ(replies[cell].load(), 1) << "reply " << cell % per_peer << " of rank " << cell / per_peer;
    }
  }
};
Ledger ledger;

gex_Rank_t source_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  return info.gex_srcrank;
}

// A message names its sequence number, the size of its payload, and a check word over both and its source.
gex_AM_Arg_t check_word(gex_Rank_t source, gex_AM_Arg_t sequence, std::size_t bytes) {
  return static_cast<gex_AM_Arg_t>(key_of(source, sequence, bytes));
}
constexpr std::size_t kMediumBytes = 512, kLongBytes = 2048;
constexpr std::uint32_t kLongSlots = 256;

std::size_t medium_bytes(gex_AM_Arg_t sequence) { return mix(sequence) % (kMediumBytes + 1); }
std::size_t long_bytes(gex_AM_Arg_t sequence) { return mix(sequence + 1) % (kLongBytes + 1); }

// Each ordered pair of ranks has its own slots, for requests and for replies, in the target's segment.
std::byte* long_slot(gex_Rank_t target, gex_Rank_t source, bool reply, gex_AM_Arg_t sequence) {
  const std::size_t slot =
      (source * 2 + reply) * kLongSlots + static_cast<std::uint32_t>(sequence) % kLongSlots;
  return remote(target, slot * kLongBytes);
}

void on_short_reply(gex_Token_t token, gex_AM_Arg_t sequence, gex_AM_Arg_t check) {
  EXPECT_EQ(check, ~check_word(job().rank, sequence, 0));
  ledger.reply(source_of(token), sequence);
}
Handler short_reply(on_short_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);

void on_payload_reply(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t sequence,
                      gex_AM_Arg_t check) {
  EXPECT_EQ(check, ~check_word(job().rank, sequence, bytes));
  EXPECT_TRUE(holds(payload, bytes, key_of(job().rank, sequence, 2)));
  ledger.reply(source_of(token), sequence);
}
Handler payload_reply(on_payload_reply, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY);

// Answers in a category that differs from the request's: all nine pairs occur.
void answer(gex_Token_t token, gex_AM_Arg_t sequence) {
  const gex_Rank_t source = source_of(token);
  unsigned char buffer[kLongBytes];
  switch (mix(sequence + 77) % 3) {
    case 0:
      gex_AM_ReplyShort2(token, short_reply, 0, sequence, ~check_word(source, sequence, 0));
      break;
    case 1: {
      const std::size_t bytes = medium_bytes(sequence);
      fill(buffer, bytes, key_of(source, sequence, 2));
      gex_AM_ReplyMedium2(token, payload_reply, buffer, bytes, GEX_EVENT_NOW, 0, sequence,
                          ~check_word(source, sequence, bytes));
      break;
    }
    default: {
      const std::size_t bytes = long_bytes(sequence);
      fill(buffer, bytes, key_of(source, sequence, 2));
      gex_AM_ReplyLong2(token, payload_reply, buffer, bytes, long_slot(source, job().rank, true, sequence),
                        GEX_EVENT_NOW, 0, sequence, ~check_word(source, sequence, bytes));
    }
  }
}

void on_short(gex_Token_t token, gex_AM_Arg_t sequence, gex_AM_Arg_t check) {
  const gex_Rank_t source = source_of(token);
  EXPECT_EQ(check, check_word(source, sequence, 0));
  ledger.request(source, sequence);
  answer(token, sequence);
}
Handler short_request(on_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

void on_payload(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t sequence,
                gex_AM_Arg_t check) {
  const gex_Rank_t source = source_of(token);
  EXPECT_EQ(check, check_word(source, sequence, bytes));
  EXPECT_TRUE(holds(payload, bytes, key_of(source, sequence, 1)));
  ledger.request(source, sequence);
  answer(token, sequence);
}
Handler payload_request(on_payload, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST);

void send(gex_Rank_t target, gex_AM_Arg_t sequence, unsigned category) {
  unsigned char buffer[kLongBytes];
  const gex_Rank_t me = job().rank;
  if (category == 0) {
    gex_AM_RequestShort2(job().tm, target, short_request, 0, sequence, check_word(me, sequence, 0));
  } else if (category == 1) {
    const std::size_t bytes = medium_bytes(sequence);
    fill(buffer, bytes, key_of(me, sequence, 1));
    gex_AM_RequestMedium2(job().tm, target, payload_request, buffer, bytes, GEX_EVENT_NOW, 0, sequence,
                          check_word(me, sequence, bytes));
  } else {
    const std::size_t bytes = long_bytes(sequence);
    fill(buffer, bytes, key_of(me, sequence, 1));
    gex_AM_RequestLong2(job().tm, target, payload_request, buffer, bytes,
                        long_slot(target, me, false, sequence), GEX_EVENT_NOW, 0, sequence,
                        check_word(me, sequence, bytes));
  }
}

// Every rank sends `per_peer` messages to every rank, itself too. A long may be sent only while its slot is
// free, so longs wait for the replies of one round of slots; the others never wait, which is what fills every
// queue.
void flood(std::uint32_t per_peer, bool with_longs) {
  ledger.open(per_peer);
  for (std::uint32_t sequence = 0; sequence < per_peer; ++sequence) {
    if (with_longs && sequence > 0 && sequence % kLongSlots == 0) {
      const std::uint32_t expected = sequence * job().size;
      GASNET_BLOCKUNTIL(ledger.replies_seen >= expected);
    }
    for (gex_Rank_t step = 0; step < job().size; ++step)
      send((job().rank + step) % job().size, static_cast<gex_AM_Arg_t>(sequence),
           mix(sequence) % (with_longs ? 3 : 2));
  }
  ledger.close();
}

TEST_F(Load, ShortsAndMediumsFloodingAllRanksArriveExactlyOnceAndAreAnswered) { flood(scaled(4000), false); }
TEST_F(Load, AllCategoriesFloodingAllRanksArriveExactlyOnceAndAreAnswered) { flood(scaled(2000), true); }

TEST_F(Load, EveryRankFloodingRankZeroDoesNotDeadlock) {
  ledger.open(scaled(5000));
  for (std::uint32_t sequence = 0; sequence < ledger.per_peer; ++sequence)
    send(0, static_cast<gex_AM_Arg_t>(sequence), mix(sequence) % 2);
  const std::uint32_t all = job().rank == 0 ? job().size * ledger.per_peer : 0;
  GASNET_BLOCKUNTIL(ledger.replies_seen == ledger.per_peer && ledger.requests_seen == all);
  barrier();
  EXPECT_EQ(ledger.replies_seen, ledger.per_peer);
  EXPECT_EQ(ledger.requests_seen, all);
}

std::atomic<std::uint32_t> one_way{0};
void on_one_way(gex_Token_t, void*, std::size_t) { ++one_way; }
Handler one_way_medium(on_one_way, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);

TEST_F(Load, ATargetThatDoesNotPollForAWhileLosesNothing) {
  one_way = 0;
  barrier();
  const std::uint32_t messages = scaled(2000);
  unsigned char payload[300] = {};
  if (job().rank != 0) {
    for (std::uint32_t i = 0; i < messages; ++i)
      gex_AM_RequestMedium0(job().tm, 0, one_way_medium, payload, sizeof payload, GEX_EVENT_NOW, 0);
  } else {
    usleep(50'000);  // the senders run into a full mailbox meanwhile
    const std::uint32_t all = messages * (job().size - 1);
    GASNET_BLOCKUNTIL(one_way == all);
  }
  barrier();
  EXPECT_EQ(one_way, job().rank == 0 ? messages * (job().size - 1) : 0);
}

TEST_F(Load, ImmediateRequestsAreEitherSentOnceOrNotAtAll) {
  ledger.open(scaled(2000));
  std::uint64_t refused = 0;
  for (std::uint32_t i = 0; i < ledger.per_peer; ++i) {
    const auto sequence = static_cast<gex_AM_Arg_t>(i);
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      while (gex_AM_RequestShort2(job().tm, rank, short_request, GEX_FLAG_IMMEDIATE, sequence,
                                  check_word(job().rank, sequence, 0)) != 0) {
        ++refused;
        gasnet_AMPoll();
      }
    }
  }
  ledger.close();
  RecordProperty("refused", static_cast<int>(refused));
}

}  // namespace
}  // namespace aqueduct::test
