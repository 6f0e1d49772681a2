// A client that waits by polling, on a core that it shares with the rank that it waits for (AQUEDUCT_BIND=0).
// Its polls that find nothing give way now and then: otherwise the other rank would have its turn only when a
// whole time slice has been polled away, hundreds of thousands of polls for one message.
#include <atomic>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using FruitlessPoll = Spmd;

std::atomic<unsigned> pings{0};
void on_ping(gex_Token_t) { ++pings; }
Handler ping(on_ping, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);

/// Polls until `count` pings have come; answers how often that took.
std::uint64_t polls_until(unsigned count) {
  std::uint64_t polls = 0;
  for (; pings < count; ++polls) gasnet_AMPoll();
  return polls;
}

TEST_F(FruitlessPoll, GivesWayToTheRankThatItWaitsFor) {
  constexpr unsigned kRounds = 100;
  constexpr std::uint64_t kMostPollsEach = 5000;
  barrier();
  std::uint64_t polls = 0;
  for (unsigned round = 1; round <= kRounds; ++round) {
    if (job().rank == 0) gex_AM_RequestShort0(job().tm, 1, ping, 0);
    polls += polls_until(round);
    if (job().rank == 1) gex_AM_RequestShort0(job().tm, 0, ping, 0);
  }
  EXPECT_LT(polls, kRounds * kMostPollsEach) << "in " << kRounds << " round trips";
  barrier();
}

}  // namespace
}  // namespace aqueduct::test
