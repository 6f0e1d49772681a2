// gasnet_set_waitmode() chooses as the start of the job did: by the ranks and cores of this machine, whatever
// the size of the job.
#include "core/rank.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using WaitMode = Spmd;

TEST_F(WaitMode, SuitsTheRanksOfThisMachine) {
  const core::Rank& rank = *core::process_rank();
  const WaitPolicy usual = rank.wait_policy;
  gasnet_set_waitmode(GASNET_WAIT_BLOCK);
  const WaitPolicy blocking = WaitPolicy::blocking(rank.place().machine_ranks, rank.place().cores);
  EXPECT_EQ(rank.wait_policy.polls, 1u);
  EXPECT_EQ(rank.wait_policy.yield_ns, blocking.yield_ns);
  EXPECT_EQ(rank.wait_policy.sleep_min_ns, blocking.sleep_min_ns);
  gasnet_set_waitmode(GASNET_WAIT_SPIN);
  EXPECT_EQ(rank.wait_policy.polls, usual.polls);
  EXPECT_FALSE(rank.wait_policy.may_sleep);
  gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK);
  EXPECT_EQ(rank.wait_policy.polls, usual.polls);
  EXPECT_EQ(rank.wait_policy.yield_ns, usual.yield_ns);
  EXPECT_EQ(rank.wait_policy.sleep_min_ns, usual.sleep_min_ns);
  EXPECT_EQ(rank.wait_policy.may_sleep, usual.may_sleep);
}

}  // namespace
}  // namespace aqueduct::test
