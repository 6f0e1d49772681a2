// With AQUEDUCT_ON_FAILURE=report the death of a rank is told and the others go on.
#include <gtest/gtest.h>

#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

struct Job {
  const char* name;
  const char* conduit;
  const char* layout;
  const char* death;
  const char* says;
};
void PrintTo(const Job& job, std::ostream* out) { *out << job.name; }

class Survivors : public ::testing::TestWithParam<Job> {};

TEST_P(Survivors, GoOnAndKnowWhoIsDead) {
  const Job& job = GetParam();
  std::vector<std::string> environment{"AQUEDUCT_ON_FAILURE=report", "GASNET_BACKTRACE=0",
                                       "GASNET_FREEZE_ON_ERROR=0"};
  if (*job.layout) environment.push_back(std::string("AQUEDUCT_LAYOUT=") + job.layout);
  const Outcome outcome =
      run({AQUEDUCT_LAUNCHER, "run", "-n", "4", "--conduit", job.conduit, AQUEDUCT_SURVIVORS, job.death},
          environment);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "has gone on").size(), 3u) << outcome.all();
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find(job.says), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("; the others go on (AQUEDUCT_ON_FAILURE=report)"), std::string::npos)
      << outcome.err;
}

constexpr char kKilled[] = "rank 3 was killed by signal 9";

INSTANTIATE_TEST_SUITE_P(
    All, Survivors,
    ::testing::Values(Job{"Neighbours", "smp", "", "killed", kKilled},
                      Job{"NeighboursAfterACode", "smp", "", "code", "rank 3 ended with code 5"},
                      Job{"NeighboursAfterAnError", "smp", "", "error", "rank 77 is outside the team"},
                      Job{"OverANetwork", "wire", "", "killed", kKilled},
                      Job{"OverUdp", "udp", "1+1+1+1", "killed", kKilled},
                      Job{"OverUdpOfBothKinds", "udp", "2+2", "killed", kKilled},
                      Job{"OfAnotherHost", "wire", "3+1", "killed", kKilled},
                      Job{"OfBothKinds", "wire", "2+2", "killed", kKilled}),
    [](const auto& info) { return info.param.name; });

TEST(SurvivorsRefused, WhereTheConduitCannot) {
  const Outcome outcome =
      run({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--conduit", "portals", AQUEDUCT_SURVIVORS},
          {"AQUEDUCT_ON_FAILURE=report"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("AQUEDUCT_ON_FAILURE=report: conduit portals cannot go on"), std::string::npos)
      << outcome.err;
}

TEST(SurvivorsRefused, WhereTheSettingIsMalformed) {
  const Outcome outcome =
      run({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_SURVIVORS}, {"AQUEDUCT_ON_FAILURE=maybe"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find("AQUEDUCT_ON_FAILURE='maybe'; it may be end or report"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace aqueduct::test
