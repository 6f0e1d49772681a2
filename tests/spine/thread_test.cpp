// Threads: any thread of a PAR client may call anything at any time.
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "support/pattern.hpp"
#include "support/rma.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Threads = Spmd;

gex_Rank_t source_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  return info.gex_srcrank;
}

// One counter per thread of the sender; a reply names the thread that it belongs to.
constexpr std::size_t kMostThreads = 64;
std::array<std::atomic<std::uint32_t>, kMostThreads> answered;
std::atomic<std::uint32_t> served{0};

void on_answer(gex_Token_t, gex_AM_Arg_t thread) { ++answered.at(static_cast<std::size_t>(thread)); }
Handler answer(on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);

void on_question(gex_Token_t token, gex_AM_Arg_t thread) {
  ++served;
  gex_AM_ReplyShort1(token, answer, 0, thread);
}
Handler question(on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

void on_payload(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t thread, gex_AM_Arg_t id) {
  EXPECT_TRUE(holds(payload, bytes, key_of(source_of(token), thread, id)));
  ++served;
  gex_AM_ReplyShort1(token, answer, 0, thread);
}
Handler payload_question(on_payload, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST);

void start_counting() {
  for (auto& count : answered) count = 0;
  served = 0;
  barrier();
}

std::atomic<std::size_t> ended{0};
void on_end(gex_Token_t) { ++ended; }
Handler end(on_end, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

// Runs `body(thread number)` on `count` threads of this rank. The calling thread serves other ranks
// meanwhile; what it blocks for must come from a handler, so the threads send it a message when they end.
template <class Body>
void on_threads(std::size_t count, Body body) {
  ended = 0;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < count; ++thread)
    threads.emplace_back([&, thread] {
      body(thread);
      gex_AM_RequestShort0(job().tm, job().rank, end, 0);
    });
  GASNET_BLOCKUNTIL(ended == count);
  for (auto& thread : threads) thread.join();
}

// `rounds` messages of all categories from one thread to all ranks; each is answered.
void converse(std::size_t thread, std::uint32_t rounds) {
  std::uint32_t asked = 0;
  unsigned char payload[300];
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const gex_Rank_t rank = i % job().size;
    const auto id = static_cast<gex_AM_Arg_t>(i);
    const auto number = static_cast<gex_AM_Arg_t>(thread);
    switch (i % 3) {
      case 0:
        gex_AM_RequestShort1(job().tm, rank, question, 0, number);
        break;
      case 1:
        fill(payload, sizeof payload, key_of(job().rank, number, id));
        gex_AM_RequestMedium2(job().tm, rank, payload_question, payload, sizeof payload, GEX_EVENT_NOW, 0,
                              number, id);
        break;
      default:
        fill(payload, sizeof payload, key_of(job().rank, number, id));
        gex_AM_RequestLong2(job().tm, rank, payload_question, payload, sizeof payload,
                            window(rank, job().rank) + thread * 512, GEX_EVENT_NOW, 0, number, id);
    }
    ++asked;
    GASNET_BLOCKUNTIL(answered[thread] == asked);  // also frees this thread's long destination
  }
}

void expect_all_served(std::uint32_t threads, std::uint32_t rounds) {
  barrier();
  std::uint32_t to_me = 0;
  for (std::uint32_t i = job().rank; i < rounds; i += job().size) ++to_me;
  EXPECT_EQ(served, job().size * threads * to_me);
  for (std::size_t thread = 0; thread < threads; ++thread) EXPECT_EQ(answered[thread], rounds);
}

TEST_F(Threads, SeveralSendAndAreAnsweredAtOnce) {
  const std::uint32_t rounds = scaled(600);
  start_counting();
  on_threads(4, [&](std::size_t thread) { converse(thread, rounds); });
  expect_all_served(4, rounds);
}

TEST_F(Threads, TwentyAtOnceAreServed) {
  const std::uint32_t rounds = scaled(60);
  start_counting();
  on_threads(20, [&](std::size_t thread) { converse(thread, rounds); });
  expect_all_served(20, rounds);
}

TEST_F(Threads, FortyMayComeAndGo) {
  const std::uint32_t rounds = scaled(12);
  start_counting();
  for (std::size_t wave = 0; wave < 10; ++wave)
    on_threads(4, [&](std::size_t thread) { converse(wave * 4 + thread, rounds); });
  expect_all_served(40, rounds);
}

TEST_F(Threads, FloodWithoutWaitingForAnswers) {
  const std::uint32_t rounds = scaled(1500);
  start_counting();
  on_threads(3, [&](std::size_t thread) {
    for (std::uint32_t i = 0; i < rounds; ++i)
      gex_AM_RequestShort1(job().tm, i % job().size, question, 0, static_cast<gex_AM_Arg_t>(thread));
    GASNET_BLOCKUNTIL(answered[thread] == rounds);
  });
  expect_all_served(3, rounds);
}

TEST_F(Threads, PutAndGetConcurrently) {
  const std::uint32_t rounds = scaled(300);
  on_threads(4, [&](std::size_t thread) {
    constexpr std::size_t kBytes = 2000;
    std::vector<unsigned char> source(kBytes), back(kBytes);
    for (std::uint32_t i = 0; i < rounds; ++i) {
      const gex_Rank_t rank = i % job().size;
      const auto style = static_cast<Style>(i % 3);
      std::byte* to = window(rank, job().rank) + thread * 4096;
      fill(source.data(), kBytes, key_of(job().rank, thread, i));
      put(style, rank, to, source.data(), kBytes);
      get(style, back.data(), rank, to, kBytes);
      ASSERT_EQ(std::memcmp(source.data(), back.data(), kBytes), 0);
    }
  });
}

TEST_F(Threads, ImplicitOperationsBelongToTheThreadThatStartedThem) {
  on_threads(4, [&](std::size_t thread) {
    std::vector<std::vector<unsigned char>> sources;
    for (std::uint32_t i = 0; i < 50; ++i) {
      sources.push_back(patterned(256, key_of(job().rank, thread, i)));
      gex_RMA_PutNBI(job().tm, right(), window(right(), job().rank) + (thread * 50 + i) * 256,
                     sources[i].data(), 256, GEX_EVENT_DEFER, 0);
    }
    gex_NBI_Wait(GEX_EC_PUT, 0);
    for (std::uint32_t i = 0; i < 50; ++i) {
      unsigned char back[256];
      get(Style::kImplicit, back, right(), window(right(), job().rank) + (thread * 50 + i) * 256, 256);
      ASSERT_TRUE(holds(back, 256, key_of(job().rank, thread, i)));
    }
  });
}

TEST_F(Threads, AnEventMayBeWaitedForByAnotherThread) {
  constexpr std::uint32_t kCount = 200;
  std::vector<std::vector<unsigned char>> sources;
  std::vector<gex_Event_t> events;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    sources.push_back(patterned(700, key_of(job().rank, i)));
    events.push_back(gex_RMA_PutNB(job().tm, right(), window(right(), job().rank) + i * 1024,
                                   sources[i].data(), 700, GEX_EVENT_DEFER, 0));
  }
  on_threads(2, [&](std::size_t thread) {
    for (std::uint32_t i = static_cast<std::uint32_t>(thread); i < kCount; i += 2) gex_Event_Wait(events[i]);
  });
  for (std::uint32_t i = 0; i < kCount; ++i) {
    unsigned char back[700];
    get(Style::kBlocking, back, right(), window(right(), job().rank) + i * 1024, 700);
    ASSERT_TRUE(holds(back, 700, key_of(job().rank, i)));
  }
}

TEST_F(Threads, ABarrierStartedByOneThreadMayBeFinishedByAnother) {
  for (std::uint32_t round = 0; round < scaled(50); ++round) {
    const gex_Event_t event = gex_Coll_BarrierNB(job().tm, 0);
    std::thread([event] { gex_Event_Wait(event); }).join();
  }
}

std::atomic<int> woken{0};
void on_wake(gex_Token_t) { ++woken; }
Handler wake(on_wake, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(Threads, ASleepingThreadIsWokenByAMessageOfAnother) {
  woken = 0;
  barrier();
  std::thread sender([] {
    usleep(200'000);
    gex_AM_RequestShort0(job().tm, job().rank, wake, 0);
  });
  GASNET_BLOCKUNTIL(woken == 1);
  sender.join();
}

TEST_F(Threads, PollingFromManyThreadsRunsEachHandlerOnce) {
  const std::uint32_t rounds = scaled(1000);
  start_counting();
  std::atomic<bool> stop{false};
  std::vector<std::thread> pollers;
  for (int i = 0; i < 3; ++i)
    pollers.emplace_back([&] {
      while (!stop) gasnet_AMPoll(), std::this_thread::yield();
    });
  for (std::uint32_t i = 0; i < rounds; ++i) gex_AM_RequestShort1(job().tm, i % job().size, question, 0, 0);
  GASNET_BLOCKUNTIL(answered[0] == rounds);
  expect_all_served(1, rounds);
  stop = true;
  for (auto& poller : pollers) poller.join();
}

}  // namespace
}  // namespace aqueduct::test
