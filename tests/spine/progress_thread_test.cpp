// A progress thread runs handlers while the client is away. Where the client has one thread, it never runs
// one beside it (aqueduct/progress_thread.h).
#include <aqueduct/progress_thread.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using std::chrono::microseconds;

// Before main, which starts the library.
const int wish = aqueduct_progress_thread(1);
const std::thread::id client = std::this_thread::get_id();

std::atomic<std::uint32_t> come{0}, come_elsewhere{0};

void note_arrival() {
  if (std::this_thread::get_id() != client) ++come_elsewhere;
  ++come;
}

struct ProgressThread : Spmd {
  void SetUp() override {
    if (job().size < 2) GTEST_SKIP() << "nobody else";
    come = come_elsewhere = 0;
    Spmd::SetUp();
  }
};

TEST_F(ProgressThread, IsAskedForBeforeTheLibraryStarts) {
  EXPECT_EQ(GASNET_OK, wish);
  EXPECT_EQ(GASNET_ERR_RESOURCE, aqueduct_progress_thread(1));
}

#ifdef GASNET_SEQ

void compute(microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

// Without any protection, and changed so slowly that whoever comes between destroys it.
long counter = 0;
void count_up() {
  const long seen = counter;
  compute(microseconds(20));
  counter = seen + 1;
}

void on_count(gex_Token_t) {
  constexpr std::uint32_t kBetweenSleeps = 16;
  if (come % kBetweenSleeps == 0) std::this_thread::sleep_for(microseconds(300));
  count_up();
  note_arrival();
}
Handler count_handler(on_count, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(ProgressThread, NeverRunsHandlersBesideTheClient) {
  constexpr std::uint32_t rounds = 1000;
  std::minstd_rand random(job().rank + 1);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    gex_AM_RequestShort0(job().tm, right(), count_handler, 0);
    aqueduct_away();
    compute(microseconds(random() % 300));
    aqueduct_back();
    count_up();
  }
  GASNET_BLOCKUNTIL(come == rounds);
  EXPECT_EQ(2 * rounds, counter);
  EXPECT_NE(0u, come_elsewhere);
}

#else

void on_note(gex_Token_t) { note_arrival(); }
Handler note_handler(on_note, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

long threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

TEST_F(ProgressThread, IsOneAlsoIfManyThreadsAskForItAtOnce) {
  constexpr int kThreads = 8;
  const long before = threads_of_process();
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++ready;
      while (ready != kThreads) std::this_thread::yield();
      aqueduct_away();
    });
  }
  for (std::thread& thread : threads) thread.join();
  // The system may show one that has ended for a while.
  for (int i = 0; i < 1000 && threads_of_process() != before + 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(before + 1, threads_of_process());
}

TEST_F(ProgressThread, RunsHandlersWhileNobodyCalls) {
  constexpr std::uint32_t kMessages = 100;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    gex_AM_RequestShort0(job().tm, right(), note_handler, 0);
    while (come < i + 1) std::this_thread::sleep_for(microseconds(10));
  }
  EXPECT_NE(0u, come_elsewhere);
}

#endif

}  // namespace
}  // namespace aqueduct::test
