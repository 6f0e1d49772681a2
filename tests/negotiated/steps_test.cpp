// Commit and Cancel, local completion, IMMEDIATE, threads: how the two steps go together.
#include <thread>

#include "negotiated/exchange.hpp"

namespace aqueduct::test {
namespace {

std::atomic<std::uint32_t> arrived{0};
std::atomic<std::uint64_t> sum{0};
void on_number(gex_Token_t, void* payload, std::size_t bytes, gex_AM_Arg_t value) {
  EXPECT_TRUE(holds(payload, bytes, static_cast<std::uint64_t>(value)));
  sum += static_cast<std::uint64_t>(value);
  ++arrived;
}
Handler number(on_number, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST);
void on_plain(gex_Token_t token);
Handler plain(on_plain, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
std::atomic<std::uint32_t> plain_arrived{0};
void on_plain(gex_Token_t) { ++plain_arrived; }

class Steps : public Spmd {
 protected:
  void SetUp() override {
    Spmd::SetUp();
    arrived = 0;
    plain_arrived = 0;
    sum = 0;
    barrier();
  }
};

void send_number(std::uint32_t value, std::size_t bytes) {
  gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(job().tm, right(), nullptr, bytes, bytes, nullptr, 0, 1);
  fill_prepared(sd, bytes, value);
  gex_AM_CommitRequestMedium1(sd, number, bytes, static_cast<gex_AM_Arg_t>(value));
}

TEST_F(Steps, WhatIsCancelledIsNotSent) {
  for (std::uint32_t i = 1; i <= 100; ++i) {
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(job().tm, right(), nullptr, 64, 64, nullptr, 0, 1);
    fill_prepared(sd, 64, 0);
    EXPECT_EQ(0, gex_AM_CancelRequestMedium(sd, 0));
    sd = gex_AM_PrepareRequestLong(job().tm, right(), nullptr, 64, 64, remote(right()), nullptr, 0, 1);
    EXPECT_EQ(0, gex_AM_CancelRequestLong(sd, 0));
    send_number(i, 100);
  }
  GASNET_BLOCKUNTIL(arrived == 100);
  barrier();
  EXPECT_EQ(100u, arrived);
  EXPECT_EQ(5050u, sum);
}

std::atomic<int> answered{0};
void on_answer(gex_Token_t, gex_AM_Arg_t) { ++answered; }
Handler answer(on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
void on_question(gex_Token_t token, gex_AM_Arg_t value) {
  gex_AM_SrcDesc_t sd = gex_AM_PrepareReplyMedium(token, nullptr, 16, 16, nullptr, 0, 0);
  EXPECT_EQ(0, gex_AM_CancelReplyMedium(sd, 0));
  sd = gex_AM_PrepareReplyLong(token, nullptr, 16, 16, nullptr, nullptr, 0, 0);
  EXPECT_EQ(0, gex_AM_CancelReplyLong(sd, 0));
  gex_AM_ReplyShort1(token, answer, 0, value);
}
Handler question(on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(Steps, AfterACancelledReplyAnotherMayBeSent) {
  answered = 0;
  gex_AM_RequestShort1(job().tm, right(), question, 0, 5);
  GASNET_BLOCKUNTIL(answered == 1);
}

TEST_F(Steps, TheClientsBufferIsItsOwnAgainWhenLocalCompletionSaysSo) {
  const std::size_t bytes =
      std::min({std::size_t{3000}, largest_medium(Buffer::kClient), largest_long(Buffer::kClient)});
  std::vector<unsigned char> buffer(bytes);
  for (std::uint32_t i = 0; i < 30; ++i) {
    gex_Event_t event = GEX_EVENT_NO_OP;
    gex_Event_t* const lc = i % 3 == 0 ? GEX_EVENT_NOW : i % 3 == 1 ? GEX_EVENT_GROUP : &event;
    gex_AM_SrcDesc_t sd =
        i % 2 ? gex_AM_PrepareRequestMedium(job().tm, right(), buffer.data(), bytes, bytes, lc, 0, 1)
              : gex_AM_PrepareRequestLong(job().tm, right(), buffer.data(), bytes, bytes, nullptr, lc, 0, 1);
    fill_prepared(sd, bytes, i);
    if (i % 2) {
      gex_AM_CommitRequestMedium(sd, number, bytes, static_cast<gex_AM_Arg_t>(i));
    } else {
      gex_AM_CommitRequestLong(sd, number, bytes, remote(right(), 4096 * i), static_cast<gex_AM_Arg_t>(i));
    }
    if (lc == &event) gex_Event_Wait(event);
    if (lc == GEX_EVENT_GROUP) gex_NBI_Wait(GEX_EC_AM, 0);
    std::fill(buffer.begin(), buffer.end(), static_cast<unsigned char>(0xee));
  }
  GASNET_BLOCKUNTIL(arrived == 30);
}

// Without polling there is room for so many and no more; each that is accepted arrives once.
TEST_F(Steps, ImmediateGivesUpInsteadOfWaiting) {
  const std::uint32_t count = scaled(2000);
  std::uint32_t refused = 0;
  for (std::uint32_t sent = 0; sent < count;) {
    gex_AM_SrcDesc_t sd =
        gex_AM_PrepareRequestMedium(job().tm, right(), nullptr, 32, 32, nullptr, GEX_FLAG_IMMEDIATE, 1);
    if (sd == GEX_AM_SRCDESC_NO_OP) {
      ++refused;
      gasnet_AMPoll();
      continue;
    }
    fill_prepared(sd, 32, sent + 1);
    if (gex_AM_CommitRequestMedium1_v2(sd, number, 32, GEX_FLAG_IMMEDIATE,
                                       static_cast<gex_AM_Arg_t>(sent + 1))) {
      ++refused;
      EXPECT_EQ(32u, gex_AM_SrcDescSize(sd)) << "the descriptor stays valid";
      EXPECT_EQ(0, gex_AM_CancelRequestMedium(sd, 0));
      gasnet_AMPoll();
      continue;
    }
    ++sent;
  }
  GASNET_BLOCKUNTIL(arrived == count);
  EXPECT_EQ(std::uint64_t{count} * (count + 1) / 2, sum);
  gex_Rank_t neighbours = 0;
  gex_System_QueryNbrhdInfo(nullptr, &neighbours, nullptr);
  if (neighbours == job().size && job().size > 1) {
    EXPECT_GT(refused, 0u) << "a mailbox has room for 64";
  }
}

TEST_F(Steps, BothFormsMayBeMixedInAFlood) {
  const std::uint32_t count = scaled(3000);
  for (std::uint32_t i = 1; i <= count; ++i) {
    send_number(i, 1 + i % std::min(std::size_t{2000}, largest_medium(Buffer::kLibrary)));
    gex_AM_RequestShort0(job().tm, right(), plain, 0);
  }
  GASNET_BLOCKUNTIL(arrived == count && plain_arrived == count);
  EXPECT_EQ(std::uint64_t{count} * (count + 1) / 2, sum);
}

#if GASNET_PAR
// More threads than lanes, so that some of them share one.
TEST_F(Steps, ManyThreadsPrepareAtOnce) {
  constexpr std::uint32_t kThreads = 20;
  const std::uint32_t count = scaled(100);
  const std::size_t most = std::min(std::size_t{1500}, largest_medium(Buffer::kLibrary));
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([=] {
      for (std::uint32_t i = 1; i <= count; ++i) send_number(i, 1 + (t * 100 + i) % most);
    });
  }
  GASNET_BLOCKUNTIL(arrived == kThreads * count);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::uint64_t{kThreads} * count * (count + 1) / 2, sum);
}
#endif

}  // namespace
}  // namespace aqueduct::test
