// Handler-safe locks: the same lock protects what handlers and the program share.
#include <atomic>
#include <thread>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using HandlerSafeLocks = Spmd;

gex_HSL_t static_lock = GEX_HSL_INITIALIZER;
std::uint64_t first_half = 0, second_half = 0;  // equal whenever the lock is free

void bump() {
  gex_HSL_Lock(&static_lock);
  EXPECT_EQ(first_half, second_half) << "somebody was inside the lock";
  ++first_half;
  ++second_half;
  gex_HSL_Unlock(&static_lock);
}

std::atomic<std::uint32_t> answers{0};
void on_done(gex_Token_t) { ++answers; }
Handler done(on_done, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
void on_bump(gex_Token_t token) {
  bump();
  gex_AM_ReplyShort0(token, done, 0);
}
Handler bump_handler(on_bump, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(HandlerSafeLocks, ProtectWhatHandlersAndTheProgramShare) {
  answers = 0;
  first_half = second_half = 0;
  barrier();
  const std::uint32_t rounds = scaled(2000);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    gex_AM_RequestShort0(job().tm, i % job().size, bump_handler, 0);
    bump();
  }
  GASNET_BLOCKUNTIL(answers == rounds);
  barrier();
  // Every rank sent the same share to every rank.
  const std::uint32_t from_handlers = job().size * ((rounds + job().size - 1 - job().rank) / job().size);
  EXPECT_EQ(first_half, rounds + from_handlers);
  EXPECT_EQ(second_half, first_half);
}

TEST_F(HandlerSafeLocks, MayBeInitialisedAndDestroyedAtRunTime) {
  gex_HSL_t lock;
  for (int i = 0; i < 3; ++i) {
    gex_HSL_Init(&lock);
    gex_HSL_Lock(&lock);
    gex_HSL_Unlock(&lock);
    EXPECT_EQ(gex_HSL_Trylock(&lock), GASNET_OK);
    gex_HSL_Unlock(&lock);
    gex_HSL_Destroy(&lock);
  }
}

#if !GASNET_SEQ
TEST_F(HandlerSafeLocks, TrylockAnswersNotReadyWhileAnotherThreadHoldsTheLock) {
  gex_HSL_t lock = GEX_HSL_INITIALIZER;
  std::atomic<bool> held{false}, tried{false};
  std::thread holder([&] {
    gex_HSL_Lock(&lock);
    held = true;
    while (!tried) std::this_thread::yield();
    gex_HSL_Unlock(&lock);
  });
  while (!held) std::this_thread::yield();
  EXPECT_EQ(gex_HSL_Trylock(&lock), GASNET_ERR_NOT_READY);
  tried = true;
  holder.join();
  EXPECT_EQ(gex_HSL_Trylock(&lock), GASNET_OK);
  gex_HSL_Unlock(&lock);
}

TEST_F(HandlerSafeLocks, ExcludeThreadsFromEachOther) {
  gex_HSL_t lock = GEX_HSL_INITIALIZER;
  std::uint64_t counter = 0;
  constexpr int kThreads = 4;
  const std::uint32_t rounds = scaled(5000);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        for (std::uint32_t i = 0; i < rounds; ++i) {
          gex_HSL_Lock(&lock);
          counter = counter + 1;
          gex_HSL_Unlock(&lock);
        }
      });
  }
  EXPECT_EQ(counter, std::uint64_t{kThreads} * rounds);
}
#endif

}  // namespace
}  // namespace aqueduct::test
