// The ending policy by itself: events in, steps, code and line out.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

#include "job/ending.hpp"

namespace {

using aqueduct::job::Ending;
using Step = Ending::Step;

constexpr std::uint64_t kMs = 1'000'000;
constexpr int exited(int code) { return code << 8; }
constexpr int signalled(int signal) { return signal; }

TEST(Policy, JobRunsUntilTheLastRankHasReturned) {
  Ending ending(2);
  ending.rank_ended(0, exited(0), 0);
  EXPECT_TRUE(ending.is_running());
  EXPECT_FALSE(ending.is_over());
  EXPECT_EQ(ending.step(1000 * kMs), Step::kNone);
  ending.rank_ended(1, exited(0), 2000 * kMs);
  EXPECT_TRUE(ending.is_over());
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(), "");
}

TEST(Policy, EveryCauseLeadsToKillWithinASecond) {
  for (int cause = 0; cause < 8; ++cause) {
    Ending ending(2);
    if (cause == 0) ending.rank_called_exit(0, 0, 0);
    if (cause == 1) ending.rank_called_exit(0, 3, 0);
    if (cause == 2) ending.rank_aborted(0, "text", 0);
    if (cause == 3) ending.rank_ended(0, signalled(SIGSEGV), 0);
    if (cause == 4) ending.rank_ended(0, exited(1), 0);
    if (cause == 5) ending.supervisor_signalled(SIGTERM, 0);
    if (cause == 6) ending.guard_was_killed(0);
    if (cause == 7) ending.limit_time(1e-3, 0);
    std::uint64_t now = ending.next_step_ns();
    EXPECT_EQ(ending.step(now), Step::kTerminate) << cause;
    EXPECT_EQ(ending.step(now), Step::kNone) << cause;
    now = ending.next_step_ns();
    EXPECT_EQ(ending.step(now), Step::kKill) << cause;
    EXPECT_LT(now, 1000 * kMs) << cause;
    EXPECT_EQ(ending.step(now + 5000 * kMs), Step::kNone) << cause;
  }
}

TEST(Policy, TimeLimitIsACauseWhenItIsOver) {
  Ending ending(1);
  ending.limit_time(2.5, 1000 * kMs);
  EXPECT_EQ(ending.next_step_ns(), 3500 * kMs);
  EXPECT_EQ(ending.step(3499 * kMs), Step::kNone);
  EXPECT_TRUE(ending.is_running());
  EXPECT_EQ(ending.step(3500 * kMs), Step::kTerminate);
  EXPECT_EQ(ending.exit_code(), 124);
  EXPECT_EQ(ending.line(),
            "aqueduct: the job is not over after 2.5 s (--timeout); the job ends with code 124");
}

TEST(Policy, FirstCauseWins) {
  Ending ending(3);
  ending.rank_aborted(1, "the reason", 0);
  ending.rank_ended(2, signalled(SIGSEGV), 1 * kMs);
  ending.rank_called_exit(0, 7, 2 * kMs);
  EXPECT_EQ(ending.exit_code(), 1);
  EXPECT_EQ(ending.line(), "the reason");
}

TEST(Policy, AbortIsNotReplacedByTheCodeOfItsOwnRank) {
  Ending ending(1);
  ending.rank_aborted(0, "the reason", 0);
  ending.rank_ended(0, exited(1), 1);
  EXPECT_EQ(ending.line(), "the reason");
}

TEST(Policy, RanksThatAllCalledExitAreSilentHoweverLongTheirEndsTake) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  ending.rank_called_exit(1, 0, 1 * kMs);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kTerminate);
  ending.rank_ended(0, signalled(SIGTERM), 800 * kMs);
  ending.rank_ended(1, signalled(SIGTERM), 800 * kMs);
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(), "");
}

TEST(Policy, ARankThatStaysWhenAnotherCalledExitIsNamed) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kTerminate);
  EXPECT_NE(ending.line(), "");
}

TEST(Policy, ExitWithZeroGivesWayToAFailureWithinItsGrace) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  ending.rank_ended(1, signalled(SIGSEGV), 10 * kMs);
  EXPECT_EQ(ending.exit_code(), 139);
}

TEST(Policy, ExitWithZeroDoesNotGiveWayToWhatOurSignalsDo) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  ending.rank_ended(0, exited(0), 1 * kMs);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kTerminate);
  ending.rank_ended(1, signalled(SIGTERM), 500 * kMs);
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(),
            "aqueduct: rank 0 called gasnet_exit(0) and not every other rank did; the job ends with code 0");
}

TEST(Policy, RanksThatFollowOneThatReturnedAreLeftInPeace) {
  Ending ending(2);
  ending.rank_returned(0, 10, 0);
  ending.rank_ended(0, exited(0), 1 * kMs);
  EXPECT_TRUE(ending.is_running());
  EXPECT_EQ(ending.step(9000 * kMs), Step::kNone);
  ending.rank_returned(1, 10, 9000 * kMs);
  ending.rank_ended(1, exited(0), 9001 * kMs);
  EXPECT_TRUE(ending.is_over());
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(), "");
}

TEST(Policy, RanksThatDoNotFollowOneThatReturnedAreEnded) {
  Ending ending(2);
  ending.rank_returned(1, 10, 0);
  ending.rank_ended(1, exited(0), 1 * kMs);
  EXPECT_EQ(ending.next_step_ns(), 10'000 * kMs);
  EXPECT_EQ(ending.step(10'000 * kMs), Step::kTerminate);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kKill);
  ending.rank_ended(0, signalled(SIGKILL), 11'000 * kMs);
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(
      ending.line(),
      "aqueduct: rank 1 returned from main and not every other rank did (see GASNET_CATCH_EXIT); the job "
      "ends with code 0");
}

TEST(Policy, AFailureAfterARankHasReturnedIsNotDelayed) {
  Ending ending(3);
  ending.rank_returned(1, 10, 0);
  ending.rank_ended(1, exited(0), 1 * kMs);
  ending.rank_ended(2, signalled(SIGSEGV), 50 * kMs);
  EXPECT_EQ(ending.exit_code(), 139);
  EXPECT_LT(ending.next_step_ns(), 1000 * kMs);
}

TEST(Policy, ARequestToQuitIsAnsweredByARanksHandler) {
  Ending ending(2);
  ending.supervisor_signalled(SIGQUIT, 0);
  EXPECT_EQ(ending.exit_code(), 128 + SIGQUIT);
  ending.rank_ended(1, signalled(SIGQUIT), 1 * kMs);
  EXPECT_EQ(ending.exit_code(), 128 + SIGQUIT) << "a rank without a handler explains nothing";
  ending.rank_called_exit(0, 5, 2 * kMs);
  EXPECT_EQ(ending.exit_code(), 5);
  EXPECT_EQ(ending.line(), "aqueduct: rank 0 called gasnet_exit(5); the job ends with code 5");
  ending.rank_aborted(1, "too late", 3 * kMs);
  EXPECT_EQ(ending.exit_code(), 5);
}

TEST(Policy, NothingElseIsAnswered) {
  Ending ending(2);
  ending.supervisor_signalled(SIGINT, 0);
  ending.rank_called_exit(0, 5, 1 * kMs);
  EXPECT_EQ(ending.exit_code(), 128 + SIGINT);
}

TEST(Policy, SecondInterruptSpeedsTheEndUp) {
  Ending ending(1);
  ending.supervisor_signalled(SIGINT, 0);
  ending.supervisor_signalled(SIGINT, 10 * kMs);  // the same request, delivered twice
  EXPECT_EQ(ending.step(10 * kMs), Step::kNone);
  ending.supervisor_signalled(SIGINT, 200 * kMs);
  EXPECT_EQ(ending.step(200 * kMs), Step::kTerminate);
  ending.supervisor_signalled(SIGINT, 210 * kMs);
  EXPECT_EQ(ending.step(210 * kMs), Step::kKill);
}

TEST(Policy, ClosedOutputEndsTheJobWithoutALine) {
  Ending ending(1);
  ending.output_failed(EPIPE, 0);
  EXPECT_EQ(ending.exit_code(), 128 + SIGPIPE);
  EXPECT_EQ(ending.line(), "");
  EXPECT_EQ(ending.step(0), Step::kTerminate);
}

}  // namespace
