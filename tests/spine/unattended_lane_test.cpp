// More threads than cores (AQUEDUCT_BIND=0: all on one). Neighbours' messages lie in lanes, one for each of
// the sender's threads, and each thread of the receiver looks into the lane of its own number. If it has just
// done so, and then computes or has no core, another thread that polls must take what comes there.
#include <sched.h>

#include <atomic>
#include <thread>

#include "core/neighbourhood.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using UnattendedLane = Spmd;

constexpr std::uint32_t kRounds = 50;

std::atomic<std::uint32_t> pings{0};
void on_ping(gex_Token_t) { ++pings; }
Handler ping(on_ping, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

// What the other rank has told us by a put, without a message: no poll is needed to see it.
void await_word(std::uint32_t value) {
  const std::atomic_ref<std::uint32_t> word(*reinterpret_cast<std::uint32_t*>(local()));
  while (word.load() < value) sched_yield();
}
void tell(gex_Rank_t rank, std::uint32_t value) {
  ASSERT_EQ(gex_RMA_PutBlocking(job().tm, rank, remote(rank), &value, sizeof value, 0), GASNET_OK);
}

// The second thread of rank 0 sends each ping when the receiver is ready for it.
void send_pings() {
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    await_word(round);
    gex_AM_RequestShort0(job().tm, 1, ping, 0);
    tell(1, round);
  }
}

// The second thread of rank 1 polls once in each round, and the first so often that it must notice that the
// lane of the second is attended. Then the ping is sent, and the first polls until it has come. Answers how
// often that took.
std::uint64_t receive_pings() {
  std::atomic<std::uint32_t> asked{0}, polled{0};
  std::thread second([&] {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      while (asked < round) sched_yield();
      gasnet_AMPoll();
      polled = round;
    }
    while (asked <= kRounds) sched_yield();
  });
  std::uint64_t polls = 0;
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    asked = round;
    while (polled < round) sched_yield();
    for (std::uint32_t poll = 0; poll < core::kCensusInterval; ++poll) gasnet_AMPoll();
    tell(0, round);
    await_word(round);
    for (; pings < round; ++polls) gasnet_AMPoll();
  }
  asked = kRounds + 1;
  second.join();
  return polls;
}

TEST_F(UnattendedLane, IsReadByWhoeverPolls) {
  constexpr std::uint64_t kMostPollsEach = 24;  // 8 between two looks into all lanes; a few may be missed
  tell(job().rank, 0);
  barrier();
  if (job().rank == 0) {
    std::thread second(send_pings);
    second.join();
  } else {
    EXPECT_LT(receive_pings(), kRounds * kMostPollsEach) << "for " << kRounds << " messages";
  }
  barrier();
}

}  // namespace
}  // namespace aqueduct::test
