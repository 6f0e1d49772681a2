// No allocation, no lock and no system call on the paths between neighbours, for a client with one thread.
//
// What is measured is sending, receiving and moving data, not waiting: a rank whose peer is slow may give up
// its core, and that takes a system call. So nothing in a measured stretch has to wait. Each stretch runs
// once before it is measured, because the first use of a page, a record or a thread may set things up.
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstring>

#include "paths/interpose.hpp"
#include "support/rma.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

// Waking a rank that sleeps takes a system call, which belongs to the waiting: nobody sleeps here.
class NeighbourPaths : public Spmd {
 protected:
  void SetUp() override {
    gasnet_set_waitmode(GASNET_WAIT_SPIN);
    Spmd::SetUp();
  }
  void TearDown() override {
    wait_without_messages();
    Spmd::TearDown();
  }

  // A debug client compares the arguments of collectives by messages, and those who are still measured would
  // take them: nobody enters one before all are done.
  static void wait_without_messages() {
    static std::uint32_t times = 0;
    ++times;
    for (gex_Rank_t rank = 0; rank < job().size; ++rank)
      gex_RMA_PutBlockingVal(job().tm, rank, beyond_windows(rank) + job().rank * sizeof times, times,
                             sizeof times, 0);
    const auto* const here = reinterpret_cast<const volatile std::uint32_t*>(beyond_windows(job().rank));
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      while (here[rank] < times) sched_yield();
    }
  }
};

constexpr int kRounds = 10'000;
// Fewer than a mailbox holds, so that a sender never finds it full.
constexpr int kBurst = 24;
unsigned char buffer[4096];

std::atomic<int> received{0};
void on_short(gex_Token_t, gex_AM_Arg_t, gex_AM_Arg_t) { received.fetch_add(1, std::memory_order_relaxed); }
Handler short_handler(on_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQREP);
void on_payload(gex_Token_t, void*, std::size_t) { received.fetch_add(1, std::memory_order_relaxed); }
Handler payload_handler(on_payload, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP);

void on_question(gex_Token_t token, gex_AM_Arg_t a) { gex_AM_ReplyShort2(token, short_handler, 0, a, a); }
Handler question_handler(on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

template <class Stretch>
void expect_clean(const char* what, Stretch stretch) {
  stretch();
  start_watching();
  stretch();
  const Watched seen = stop_watching();
  EXPECT_EQ(seen.allocations, 0u) << what;
  EXPECT_EQ(seen.locks, 0u) << what;
  EXPECT_FALSE(seen.entered_kernel) << what << " made system call " << seen.system_call;
}

// The watching must see what it is there to see.
TEST_F(NeighbourPaths, TheCountersSeeAllocationsLocksAndSystemCalls) {
  start_watching();
  void* volatile block = malloc(10);
  free(block);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  const pid_t parent = getppid();
  const Watched seen = stop_watching();
  EXPECT_EQ(seen.allocations, 2u);
  EXPECT_EQ(seen.locks, 1u);
  EXPECT_TRUE(seen.entered_kernel);
  EXPECT_EQ(parent, getppid()) << "the call was made all the same";
}

TEST_F(NeighbourPaths, PutsAndGetsOfAllStyles) {
  for (gex_Rank_t rank : {job().rank, right()})
    for (std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{100}, sizeof buffer})
      expect_clean("put and get", [&] {
        std::byte* to = window(rank, job().rank);
        for (int i = 0; i < kRounds / 10; ++i) {
          gex_RMA_PutBlocking(job().tm, rank, to, buffer, bytes, 0);
          gex_RMA_GetBlocking(job().tm, buffer, rank, to, bytes, 0);
          gex_Event_t leaf;
          const gex_Event_t put = gex_RMA_PutNB(job().tm, rank, to, buffer, bytes, &leaf, 0);
          gex_Event_Wait(leaf);
          gex_Event_Wait(put);
          gex_Event_Wait(gex_RMA_GetNB(job().tm, buffer, rank, to, bytes, 0));
          gex_RMA_PutNBI(job().tm, rank, to, buffer, bytes, GEX_EVENT_GROUP, 0);
          gex_RMA_GetNBI(job().tm, buffer, rank, to, bytes, 0);
          gex_NBI_Wait(GEX_EC_ALL, 0);
        }
      });
}

TEST_F(NeighbourPaths, Values) {
  for (gex_Rank_t rank : {job().rank, right()})
    expect_clean("values", [&] {
      std::byte* to = window(rank, job().rank);
      for (int i = 0; i < kRounds; ++i) {
        gex_RMA_PutBlockingVal(job().tm, rank, to, static_cast<gex_RMA_Value_t>(i), 8, 0);
        gex_Event_Wait(gex_RMA_PutNBVal(job().tm, rank, to + 8, static_cast<gex_RMA_Value_t>(i), 4, 0));
        gex_RMA_PutNBIVal(job().tm, rank, to + 16, static_cast<gex_RMA_Value_t>(i), 1, 0);
        EXPECT_EQ(gex_RMA_GetBlockingVal(job().tm, rank, to, 8, 0), static_cast<gex_RMA_Value_t>(i));
      }
      gex_NBI_Wait(GEX_EC_ALL, 0);
    });
}

TEST_F(NeighbourPaths, Atomics) {
  gex_AD_t domain;
  gex_AD_Create(&domain, job().tm, GEX_DT_U64, GEX_OP_FADD | GEX_OP_GET, 0);
  for (gex_Rank_t rank : {job().rank, right()})
    expect_clean("atomics", [&] {
      std::byte* to = window(rank, job().rank);
      std::uint64_t before = 0;
      for (int i = 0; i < kRounds; ++i) {
        gex_Event_Wait(gex_AD_OpNB_U64(domain, &before, rank, to, GEX_OP_FADD, 1, 0, 0));
        gex_AD_OpNBI_U64(domain, &before, rank, to, i % 2 == 0 ? GEX_OP_GET : GEX_OP_FADD, 1, 0, 0);
      }
      gex_NBI_Wait(GEX_EC_ALL, 0);
    });
  wait_without_messages();
  barrier();
  gex_AD_Destroy(domain);
}

TEST_F(NeighbourPaths, NonContiguousMemory) {
  const std::size_t counts[] = {10, 10};
  const std::ptrdiff_t sparse[] = {16, 400}, dense[] = {8, 80};
  for (gex_Rank_t rank : {job().rank, right()})
    expect_clean("strided and vector", [&] {
      std::byte* to = window(rank, job().rank);
      const gex_Memvec_t remote_list[] = {{to, 100}, {to + 200, 50}}, local_list[] = {{buffer, 150}};
      for (int i = 0; i < kRounds / 10; ++i) {
        gex_VIS_StridedPutBlocking(job().tm, rank, to, sparse, buffer, dense, 8, counts, 2, 0);
        gex_Event_Wait(gex_VIS_StridedGetNB(job().tm, buffer, dense, rank, to, sparse, 8, counts, 2, 0));
        gex_VIS_VectorPutNBI(job().tm, rank, 2, remote_list, 1, local_list, 0);
        gex_NBI_Wait(GEX_EC_ALL, 0);
      }
    });
}

TEST_F(NeighbourPaths, AccessRegions) {
  expect_clean("access region", [&] {
    for (int i = 0; i < kRounds / 10; ++i) {
      gex_NBI_BeginAccessRegion(0);
      gex_RMA_PutNBI(job().tm, right(), window(right(), job().rank), buffer, 64, GEX_EVENT_DEFER, 0);
      gex_Event_Wait(gex_NBI_EndAccessRegion(0));
    }
  });
}

// Sends a burst, lets everybody receive it, and does so again; the meetings in between are not measured.
template <class Send>
void expect_clean_bursts(const char* what, Send send, int messages_per_send = 1) {
  int expected = received;
  for (int round = 0; round < 40; ++round) {
    barrier();
    start_watching();
    for (int i = 0; i < kBurst; ++i) send();
    const Watched sent = stop_watching();
    barrier();
    expected += kBurst * messages_per_send;
    start_watching();
    // All requests lie in the mailbox after the barrier, unless its own polling has run their handlers
    // already. Replies come while the peer polls; those that are not here yet are waited for outside of the
    // measurement.
    for (int i = 0; i < 200; ++i) gasnet_AMPoll();
    const Watched polled = stop_watching();
    GASNET_BLOCKUNTIL(received == expected);
    if (round == 0) continue;
    EXPECT_EQ(sent.allocations + polled.allocations, 0u) << what;
    EXPECT_EQ(sent.locks + polled.locks, 0u) << what;
    EXPECT_FALSE(sent.entered_kernel) << what << ": sending made system call " << sent.system_call;
    EXPECT_FALSE(polled.entered_kernel) << what << ": polling made system call " << polled.system_call;
  }
}

TEST_F(NeighbourPaths, ShortMessages) {
  expect_clean_bursts("short", [] { gex_AM_RequestShort2(job().tm, right(), short_handler, 0, 1, 2); });
}

TEST_F(NeighbourPaths, MediumMessages) {
  expect_clean_bursts("medium", [] {
    gex_AM_RequestMedium0(job().tm, right(), payload_handler, buffer, 512, GEX_EVENT_NOW, 0);
  });
}

TEST_F(NeighbourPaths, LongMessages) {
  expect_clean_bursts("long", [] {
    gex_AM_RequestLong0(job().tm, right(), payload_handler, buffer, sizeof buffer,
                        window(right(), job().rank), GEX_EVENT_NOW, 0);
  });
}

TEST_F(NeighbourPaths, Replies) {
  expect_clean_bursts("reply", [] { gex_AM_RequestShort1(job().tm, right(), question_handler, 0, 1); });
}

TEST_F(NeighbourPaths, PollingWithNothingToReceive) {
  barrier();
  expect_clean("polling", [] {
    for (int i = 0; i < kRounds; ++i) gasnet_AMPoll();
  });
}

}  // namespace
}  // namespace aqueduct::test
