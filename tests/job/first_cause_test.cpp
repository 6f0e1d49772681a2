// When one rank's death makes the others fail, the one that died first is named.
#include <gtest/gtest.h>

#include "process.hpp"

namespace job_test {
namespace {

TEST(FirstCause, CrashIsNamedAlthoughTheOthersFailRightAfterIt) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    const Outcome outcome = run(rank_job(4, {"end-with-followers"}));
    EXPECT_EQ(outcome.code, 137);
    EXPECT_EQ(outcome.errors,
              "aqueduct: rank 0 was killed by signal 9 (Killed); the job ends with code 137\n");
  }
}

TEST(FirstCause, AnnouncedExitIsNamedAndNotItsWaitStatus) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    const Outcome outcome = run(rank_job(1, {"exit-all", "7"}));
    EXPECT_EQ(outcome.code, 7);
    EXPECT_EQ(outcome.errors, "aqueduct: rank 0 called gasnet_exit(7); the job ends with code 7\n");
  }
}

}  // namespace
}  // namespace job_test
