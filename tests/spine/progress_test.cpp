// Progress: whatever a client does in a loop, messages from elsewhere arrive meanwhile, if only it calls the
// library at all. Nobody polls here but the calls that are named.
//
// Rank 0 tells the last rank that its loop begins, and goes on until that one's message has come. A loop
// that does not look for messages never ends, and the watchdog says which.
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

std::atomic<int> begun{0}, come{0}, noise{0};
void on_begin(gex_Token_t) { ++begun; }
Handler begin_handler(on_begin, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
void on_come(gex_Token_t) { ++come; }
Handler come_handler(on_come, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
void on_short(gex_Token_t) { ++noise; }
Handler short_handler(on_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
void on_payload(gex_Token_t, void*, size_t) { ++noise; }
Handler medium_handler(on_payload, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);
Handler long_handler(on_payload, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST);

struct Progress : Spmd {
  void SetUp() override {
    if (job().size < 2) GTEST_SKIP() << "nobody else";
    begun = come = 0;
    Spmd::SetUp();
  }
  void TearDown() override {
    if (job().size >= 2) Spmd::TearDown();
  }

  /// Rank 0 calls `call(rank)` for itself, and then for rank 1, until the last rank's message has come.
  template <class Call>
  static void expect_arrival(const Call& call) {
    for (const gex_Rank_t target : {gex_Rank_t{0}, gex_Rank_t{1}}) expect_arrival_during(target, call);
  }

  /// The same for calls that are copies between neighbours: where all ranks are neighbours, they do not look.
  template <class Call>
  static void expect_arrival_of_copies(const Call& call) {
    expect_arrival_during(0, call);
    gex_Rank_t neighbours = 0;
    gex_System_QueryNbrhdInfo(nullptr, &neighbours, nullptr);
    if (neighbours < job().size) expect_arrival_during(1, call);
  }

  template <class Call>
  static void expect_arrival_during(gex_Rank_t target, const Call& call) {
    const gex_Rank_t last = job().size - 1;
    if (job().rank == 0) {
      gex_AM_RequestShort0(job().tm, last, begin_handler, 0);
      const int before = come;
      do call(target);
      while (come == before);
    } else if (job().rank == last) {
      GASNET_BLOCKUNTIL(begun == 1);
      begun = 0;
      gex_AM_RequestShort0(job().tm, 0, come_handler, 0);
    }
    barrier();
  }
};

std::atomic<int> asked{0}, answered{0}, waited{0};
void on_answer(gex_Token_t) { ++answered; }
Handler answer_handler(on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
void on_ask(gex_Token_t token) {
  ++asked;
  gex_AM_ReplyShort0(token, answer_handler, 0);
}
Handler ask_handler(on_ask, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
void on_wait(gex_Token_t) {
  GASNET_BLOCKUNTIL(answered == 1);
  ++waited;
}
Handler wait_handler(on_wait, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

// Rank 0 lets a handler of rank 1 wait for the answer to what rank 1 asks, once that is on its way there.
TEST_F(Progress, AHandlerMayBlockUntilAReplyHasCome) {
#if GASNET_DEBUG
  GTEST_SKIP() << "clients that are compiled for debugging are told that they may not";
#else
  if (job().rank == 1) {
    gex_AM_RequestShort0(job().tm, 0, ask_handler, 0);
    gex_AM_RequestShort0(job().tm, 0, begin_handler, 0);
    GASNET_BLOCKUNTIL(waited == 1);
    EXPECT_EQ(answered, 1);
  } else if (job().rank == 0) {
    GASNET_BLOCKUNTIL(begun == 1);
    gex_AM_RequestShort0(job().tm, 1, wait_handler, 0);
    GASNET_BLOCKUNTIL(asked == 1);
  }
#endif
}

TEST_F(Progress, ShortRequestsLookForMessages) {
  expect_arrival([](gex_Rank_t rank) { gex_AM_RequestShort0(job().tm, rank, short_handler, 0); });
}

TEST_F(Progress, MediumRequestsLookForMessages) {
  expect_arrival([](gex_Rank_t rank) {
    const char payload[16] = {};
    gex_AM_RequestMedium0(job().tm, rank, medium_handler, const_cast<char*>(payload), sizeof payload,
                          GEX_EVENT_NOW, 0);
  });
}

TEST_F(Progress, LargeMediumRequestsLookForMessages) {
  static char payload[4096];
  const size_t bytes = std::min(sizeof payload, gex_AM_LUBRequestMedium());
  expect_arrival([bytes](gex_Rank_t rank) {
    gex_AM_RequestMedium0(job().tm, rank, medium_handler, payload, bytes, GEX_EVENT_NOW, 0);
  });
}

TEST_F(Progress, LongRequestsLookForMessages) {
  static char payload[256];
  expect_arrival([](gex_Rank_t rank) {
    gex_AM_RequestLong0(job().tm, rank, long_handler, payload, sizeof payload, remote(rank), GEX_EVENT_NOW,
                        0);
  });
}

TEST_F(Progress, NegotiatedRequestsLookForMessages) {
  expect_arrival([](gex_Rank_t rank) {
    gex_AM_SrcDesc_t message = gex_AM_PrepareRequestMedium(job().tm, rank, nullptr, 8, 8, nullptr, 0, 0);
    std::memset(gex_AM_SrcDescAddr(message), 0, 8);
    gex_AM_CommitRequestMedium0(message, medium_handler, 8);
  });
}

TEST_F(Progress, BlockingPutsLookForMessages) {
  expect_arrival_of_copies([](gex_Rank_t rank) {
    std::uint64_t word = 7;
    gex_RMA_PutBlocking(job().tm, rank, remote(rank), &word, sizeof word, 0);
  });
}

TEST_F(Progress, BlockingGetsLookForMessages) {
  expect_arrival_of_copies([](gex_Rank_t rank) {
    std::uint64_t word;
    gex_RMA_GetBlocking(job().tm, &word, rank, remote(rank), sizeof word, 0);
  });
}

TEST_F(Progress, LargePutsAndGetsLookForMessages) {
  static char block[32 << 10];
  expect_arrival_of_copies(
      [](gex_Rank_t rank) { gex_RMA_PutBlocking(job().tm, rank, remote(rank), block, sizeof block, 0); });
  expect_arrival_of_copies(
      [](gex_Rank_t rank) { gex_RMA_GetBlocking(job().tm, block, rank, remote(rank), sizeof block, 0); });
}

TEST_F(Progress, PutsAndGetsOfValuesLookForMessages) {
  expect_arrival_of_copies(
      [](gex_Rank_t rank) { gex_RMA_PutBlockingVal(job().tm, rank, remote(rank), 7, 8, 0); });
  expect_arrival_of_copies(
      [](gex_Rank_t rank) { gex_RMA_GetBlockingVal(job().tm, rank, remote(rank), 4, 0); });
}

TEST_F(Progress, PutsAndGetsWithEventsLookForMessages) {
  expect_arrival_of_copies([](gex_Rank_t rank) {
    std::uint64_t word = 7;
    gex_Event_Wait(gex_RMA_PutNB(job().tm, rank, remote(rank), &word, sizeof word, GEX_EVENT_NOW, 0));
  });
  expect_arrival_of_copies([](gex_Rank_t rank) {
    std::uint64_t word;
    gex_Event_Wait(gex_RMA_GetNB(job().tm, &word, rank, remote(rank), sizeof word, 0));
  });
  expect_arrival_of_copies(
      [](gex_Rank_t rank) { gex_Event_Wait(gex_RMA_PutNBVal(job().tm, rank, remote(rank), 7, 8, 0)); });
}

TEST_F(Progress, ImplicitPutsAndGetsLookForMessages) {
  expect_arrival([](gex_Rank_t rank) {
    std::uint64_t word = 7;
    gex_RMA_PutNBI(job().tm, rank, remote(rank), &word, sizeof word, GEX_EVENT_NOW, 0);
    gex_NBI_Wait(GEX_EC_PUT, 0);
  });
  expect_arrival([](gex_Rank_t rank) {
    std::uint64_t word;
    gex_RMA_GetNBI(job().tm, &word, rank, remote(rank), sizeof word, 0);
    gex_NBI_Wait(GEX_EC_ALL, 0);
  });
  expect_arrival([](gex_Rank_t rank) {
    gex_RMA_PutNBIVal(job().tm, rank, remote(rank), 7, 8, 0);
    gex_NBI_Wait(GEX_EC_PUT, 0);
  });
}

TEST_F(Progress, AtomicsLookForMessages) {
  const gex_OP_t operations = GEX_OP_FADD | GEX_OP_ADD | GEX_OP_FCAS | GEX_OP_GET | GEX_OP_SET;
  gex_AD_t domain;
  gex_AD_Create(&domain, job().tm, GEX_DT_U64, operations, 0);
  for (const gex_OP_t operation : {GEX_OP_FADD, GEX_OP_ADD, GEX_OP_FCAS, GEX_OP_GET, GEX_OP_SET}) {
    expect_arrival_of_copies([&](gex_Rank_t rank) {
      std::uint64_t before = 0;
      gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, rank, remote(rank), operation, 0, 0, 0));
    });
    expect_arrival_of_copies([&](gex_Rank_t rank) {
      std::uint64_t before = 0;
      gex_AD_OpNBI_U64(domain, &before, rank, remote(rank), operation, 0, 0, 0);
      gex_NBI_Wait(GEX_EC_ALL, 0);
    });
  }
  gex_AD_Destroy(domain);
}

TEST_F(Progress, NonContiguousPutsAndGetsLookForMessages) {
  static std::uint64_t word[2];
  expect_arrival_of_copies([](gex_Rank_t rank) {
    gex_Memvec_t to{remote(rank), sizeof word}, from{word, sizeof word};
    gex_VIS_VectorPutBlocking(job().tm, rank, 1, &to, 1, &from, 0);
  });
  expect_arrival_of_copies([](gex_Rank_t rank) {
    gex_Memvec_t from{remote(rank), sizeof word}, to{word, sizeof word};
    gex_VIS_VectorGetBlocking(job().tm, 1, &to, rank, 1, &from, 0);
  });
}

}  // namespace
}  // namespace aqueduct::test
