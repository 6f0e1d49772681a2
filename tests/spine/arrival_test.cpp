// The second thread of a process comes while the first is busy with messages. A process has one such moment,
// so each case runs in a process of its own: see CMakeLists.txt.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/random.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using SecondThread = Spmd;

std::atomic<std::uint32_t> answered{0}, served{0};
void on_answer(gex_Token_t) { ++answered; }
Handler answer(on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
void on_question(gex_Token_t token) {
  ++served;
  gex_AM_ReplyShort0(token, answer, 0);
}
Handler question(on_question, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

TEST_F(SecondThread, MayComeInTheMiddleOfTraffic) {
  const std::uint32_t rounds = scaled(3000);
  const auto delay = static_cast<unsigned>(own_random()() % 2000);
  std::thread second([=] {
    usleep(delay);
    for (std::uint32_t i = 0; i < rounds; ++i) gex_AM_RequestShort0(job().tm, i % job().size, question, 0);
  });
  for (std::uint32_t i = 0; i < rounds; ++i) gex_AM_RequestShort0(job().tm, i % job().size, question, 0);
  GASNET_BLOCKUNTIL(answered == 2 * rounds);
  second.join();
  barrier();
  EXPECT_EQ(answered, 2 * rounds);
  EXPECT_EQ(served, 2 * job().size * ((rounds + job().size - 1 - job().rank) / job().size));
}

gex_HSL_t lock = GEX_HSL_INITIALIZER;
std::atomic<bool> in_handler{false};
std::atomic<int> finished{0};
void on_lock(gex_Token_t) {
  in_handler = true;
  gex_HSL_Lock(&lock);
  gex_HSL_Unlock(&lock);
  ++finished;
}
Handler lock_handler(on_lock, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

// A thread that holds a handler-safe lock may ask for limits. If that is its first call of all, it must not
// wait for a handler that waits for the lock.
TEST_F(SecondThread, MayHoldALockThatAHandlerWaitsForWhenItFirstCalls) {
  std::atomic<bool> locked{false};
  std::thread second([&] {
    gex_HSL_Lock(&lock);
    locked = true;
    while (!in_handler) std::this_thread::yield();
    EXPECT_GE(gex_AM_MaxRequestMedium(job().tm, 0, GEX_EVENT_NOW, 0, 1), 512u);
    EXPECT_EQ(gex_System_QueryJobRank(), job().rank);
    gex_HSL_Unlock(&lock);
  });
  while (!locked) std::this_thread::yield();
  gex_AM_RequestShort0(job().tm, job().rank, lock_handler, 0);
  GASNET_BLOCKUNTIL(finished == 1);
  second.join();
}

}  // namespace
}  // namespace aqueduct::test
