// Waiting: a rank that waits for long uses almost no processor time, and wakes up soon after a message.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "support/random.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Idle = Spmd;
using std::chrono::duration;
using std::chrono::steady_clock;

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

constexpr unsigned kSleepMicroseconds = 500'000;
constexpr double kMostCpuSeconds = 0.15;

std::atomic<int> woken{0};
void on_wake(gex_Token_t) { ++woken; }
Handler wake(on_wake, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

// Rank 0 sleeps outside of the library, then lets the others go; they measure what their waiting costs.
template <class LetGo, class Wait>
void expect_cheap_waiting(LetGo let_go, Wait wait) {
  woken = 0;
  barrier();
  if (job().rank == 0) {
    usleep(kSleepMicroseconds);
    let_go();
  } else {
    const double before = cpu_seconds();
    const auto started = steady_clock::now();
    wait();
    const double waited = duration<double>(steady_clock::now() - started).count();
    EXPECT_LT(cpu_seconds() - before, kMostCpuSeconds) << "processor time of " << waited << " s of waiting";
    EXPECT_GT(waited, 0.5 * kSleepMicroseconds * 1e-6) << "it did not wait";
    EXPECT_LT(waited, 60.0) << "it was not woken";
  }
}

TEST_F(Idle, BlockingUntilAMessageComesUsesAlmostNoProcessor) {
  expect_cheap_waiting(
      [] {
        for (gex_Rank_t rank = 1; rank < job().size; ++rank) gex_AM_RequestShort0(job().tm, rank, wake, 0);
      },
      [] { GASNET_BLOCKUNTIL(woken == 1); });
}

TEST_F(Idle, SoDoesAClientThatBlocksRatherThanSpins) {
  gasnet_set_waitmode(GASNET_WAIT_BLOCK);
  expect_cheap_waiting(
      [] {
        for (gex_Rank_t rank = 1; rank < job().size; ++rank) gex_AM_RequestShort0(job().tm, rank, wake, 0);
      },
      [] { GASNET_BLOCKUNTIL(woken == 1); });
  gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK);
}

// How often this thread has slept; a yield does not count.
long sleeps() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

std::atomic<std::uint32_t> answers{0};
void on_answer(gex_Token_t) { ++answers; }
Handler answer(on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
std::atomic<std::uint32_t> questions{0};
void on_question(gex_Token_t token) {
  gex_AM_ReplyShort0(token, answer, 0);
  ++questions;
}
Handler question(on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

// A conversation keeps both sides awake: its messages should not cost a wake-up each. Where the other side is
// late, because the machine is busy with other things, sleeping is right: what counts are sleeps in rounds
// that are over before a rank may give up yielding.
TEST_F(Idle, AClientThatBlocksDoesNotSleepInAConversation) {
  constexpr std::uint32_t kRounds = 2000;
  constexpr double kTooSoon = 100e-6;  // half of WaitPolicy's shortest yield_ns
  questions = answers = 0;
  gasnet_set_waitmode(GASNET_WAIT_BLOCK);
  barrier();
  if (job().rank == 0) {
    std::uint32_t slept_too_soon = 0;
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      const long before = sleeps();
      const auto started = steady_clock::now();
      gex_AM_RequestShort0(job().tm, job().size - 1, question, 0);
      GASNET_BLOCKUNTIL(answers == round);
      const double took = duration<double>(steady_clock::now() - started).count();
      if (took < kTooSoon && sleeps() != before) ++slept_too_soon;
    }
    EXPECT_LT(slept_too_soon, kRounds / 10);
  } else if (job().rank == job().size - 1) {
    GASNET_BLOCKUNTIL(questions == kRounds);
  }
  gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK);
  barrier();
}

TEST_F(Idle, WaitingInABarrierUsesAlmostNoProcessor) {
  expect_cheap_waiting([] { gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0)); },
                       [] { gex_Event_Wait(gex_Coll_BarrierNB(job().tm, 0)); });
}

TEST_F(Idle, WaitingInANamedBarrierUsesAlmostNoProcessor) {
  expect_cheap_waiting([] { gasnet_barrier(1, 0); }, [] { gasnet_barrier(1, 0); });
}

// Messages that come while the target is falling asleep must not be missed.
std::atomic<std::uint32_t> rounds_seen{0};
void on_round(gex_Token_t) { ++rounds_seen; }
Handler round_handler(on_round, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(Idle, NoWakeUpIsLostAtAnyMoment) {
  rounds_seen = 0;
  barrier();
  auto random = own_random();
  const std::uint32_t rounds = scaled(300);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    if (job().rank == round % job().size) {
      usleep(
          static_cast<unsigned>(random() % 1500));  // around the moment at which the others give up spinning
      for (gex_Rank_t rank = 0; rank < job().size; ++rank)
        gex_AM_RequestShort0(job().tm, rank, round_handler, 0);
    }
    GASNET_BLOCKUNTIL(rounds_seen >= round);
  }
}

}  // namespace
}  // namespace aqueduct::test
