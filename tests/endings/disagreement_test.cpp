// Ranks of one job that were not started alike end it with one line that names two of them.
#include <gtest/gtest.h>

#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

Outcome with_other_setting_at_rank_2(const std::string& setting) {
  return run({AQUEDUCT_LAUNCHER, "run", "-n", "4", "sh", "-c",
              "test $AQUEDUCT_RANK = 2 && export " + setting + "; exec " AQUEDUCT_LEAVING});
}

TEST(Disagreement, OnTheLimitOfSegmentsIsNamed) {
  const Outcome outcome = with_other_setting_at_rank_2("GASNET_MAX_SEGSIZE=8MB");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find("rank 2 has GASNET_MAX_SEGSIZE 8MB and rank 0 has 0.85/H"), std::string::npos)
      << outcome.err;
}

TEST(Disagreement, OfAnotherKindIsAllowed) {
  const Outcome outcome = with_other_setting_at_rank_2("GASNET_QUIET=1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

}  // namespace
}  // namespace aqueduct::test
