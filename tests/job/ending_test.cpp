// How a job ends: which code, which line, and how soon.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "process.hpp"

namespace job_test {
namespace {

void expect_end(const Outcome& outcome, int code, const std::string& errors) {
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.errors, errors);
  EXPECT_LT(outcome.took, kSoon);
}

TEST(Ending, RanksThatReturnZeroEndTheJobInSilence) { expect_end(run(rank_job(4, {"memory"})), 0, ""); }

TEST(Ending, RankThatReturnsZeroLetsTheOthersFinish) {
  const Outcome outcome = run(rank_job(3, {"return", "1", "0"}));
  expect_end(outcome, 0, "");
  EXPECT_EQ(outcome.output, "finished\nfinished\n");
}

TEST(Ending, AnyProgramThatReturnsZeroLetsTheOthersFinish) {
  const Outcome outcome = run(job(2, {"sh", "-c", "test $AQUEDUCT_RANK = 0 || { sleep 0.6; echo late; }"}));
  expect_end(outcome, 0, "");
  EXPECT_EQ(outcome.output, "late\n");
}

TEST(Ending, NonZeroCodeOfOneRankEndsTheJob) {
  expect_end(run(job(3, {"sh", "-c", "test $AQUEDUCT_RANK = 1 && exit 3; sleep 60"})), 3,
             "aqueduct: rank 1 ended with code 3; the job ends with code 3\n");
}

TEST(Ending, FirstNonZeroCodeIsTheJobs) {
  expect_end(run(rank_job(3, {"end-with-followers", "12"})), 12,
             "aqueduct: rank 0 ended with code 12; the job ends with code 12\n");
}

TEST(Ending, CrashIsReportedWithItsSignal) {
  expect_end(run(rank_job(4, {"signal", "2", std::to_string(SIGSEGV)})), 139,
             "aqueduct: rank 2 was killed by signal 11 (Segmentation fault); the job ends with code 139\n");
}

TEST(Ending, AbortIsReportedWithItsSignal) {
  expect_end(run(rank_job(2, {"signal", "0", std::to_string(SIGABRT)})), 134,
             "aqueduct: rank 0 was killed by signal 6 (Aborted); the job ends with code 134\n");
}

TEST(Ending, KilledRankEndsTheJob) {
  expect_end(run(rank_job(4, {"signal", "1", std::to_string(SIGKILL)})), 137,
             "aqueduct: rank 1 was killed by signal 9 (Killed); the job ends with code 137\n");
}

TEST(Ending, RanksThatIgnoreTerminationAreKilled) {
  const Command command =
      job(3, {"sh", "-c", "test $AQUEDUCT_RANK = 0 && exit 5; trap '' TERM; sleep 60; sleep 60"});
  expect_end(run(command), 5, "aqueduct: rank 0 ended with code 5; the job ends with code 5\n");
}

TEST(Ending, StoppedRanksAreEndedToo) {
  const Command command =
      job(2, {"sh", "-c", "test $AQUEDUCT_RANK = 0 && { sleep 0.2; exit 5; }; kill -STOP $$"});
  expect_end(run(command), 5, "aqueduct: rank 0 ended with code 5; the job ends with code 5\n");
}

TEST(Ending, ExitOfOneRankEndsTheOthers) {
  expect_end(run(rank_job(3, {"exit", "1", "5"})), 5,
             "aqueduct: rank 1 called gasnet_exit(5); the job ends with code 5\n");
}

TEST(Ending, ExitWithZeroOfOneRankEndsTheOthersAndSaysSo) {
  expect_end(
      run(rank_job(3, {"exit", "2", "0"})), 0,
      "aqueduct: rank 2 called gasnet_exit(0) and not every other rank did; the job ends with code 0\n");
}

TEST(Ending, CollectiveExitWithZeroIsSilentAndFlushes) {
  const Outcome outcome = run(rank_job(4, {"exit-all", "0"}));
  expect_end(outcome, 0, "");
  EXPECT_EQ(lines_of(outcome.output).size(), 4u) << outcome.output;
}

TEST(Ending, CollectiveExitWithCodeIsOneLine) {
  const Outcome outcome = run(rank_job(4, {"exit-all", "3"}));
  EXPECT_EQ(outcome.code, 3);
  ASSERT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
  EXPECT_NE(outcome.errors.find("called gasnet_exit(3); the job ends with code 3"), std::string::npos);
}

TEST(Ending, ExitWithZeroWhileTheOthersReturnIsSilent) {
  expect_end(run(rank_job(3, {"exit-while-others-return"})), 0, "");
}

TEST(Ending, FailureRightAfterAnExitWithZeroIsNotHidden) {
  const Outcome outcome = run(rank_job(2, {"exit-then-fail"}));
  expect_end(outcome, 6, "aqueduct: rank 1 ended with code 6; the job ends with code 6\n");
}

TEST(Ending, ExitCodesAreCutToEightBits) {
  expect_end(run(rank_job(2, {"exit", "0", "259"})), 3,
             "aqueduct: rank 0 called gasnet_exit(259); the job ends with code 3\n");
  expect_end(run(rank_job(1, {"exit", "0", "-1"})), 255,
             "aqueduct: rank 0 called gasnet_exit(-1); the job ends with code 255\n");
}

TEST(Ending, ExitFromAnotherThreadEndsTheJob) {
  expect_end(run(rank_job(1, {"exit-from-thread", "4"})), 4,
             "aqueduct: rank 0 called gasnet_exit(4); the job ends with code 4\n");
}

TEST(Ending, ExitDoesNotHangOnALockOfStdio) {
  expect_end(run(rank_job(1, {"exit-with-stdio-locked", "4"})), 4,
             "aqueduct: rank 0 called gasnet_exit(4); the job ends with code 4\n");
  expect_end(run(rank_program({"exit-with-stdio-locked", "4"})), 4, "");
}

TEST(Ending, ExitFlushesOtherFilesToo) {
  const std::string path = testing::TempDir() + "aqueduct-exit-" + unique_mark();
  expect_end(run(rank_job(1, {"exit-with-open-file", path})), 0, "");
  std::string content;
  std::ifstream(path) >> content;
  std::filesystem::remove(path);
  EXPECT_EQ(content, "kept");
}

TEST(Ending, FatalErrorIsTheOneLine) {
  expect_end(run(rank_job(3, {"fatal", "1"})), 1,
             "*** FATAL ERROR (proc 1): in gex_Test() at client.c:42: something is wrong\n");
}

TEST(Ending, FatalErrorOfAllRanksIsStillOneLine) {
  const Outcome outcome = run(rank_job(8, {"fatal-all"}));
  EXPECT_EQ(outcome.code, 1);
  ASSERT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
  EXPECT_NE(outcome.errors.find("): in gex_Test(): all of us"), std::string::npos) << outcome.errors;
}

TEST(Ending, LastWordsComeBeforeTheReason) {
  const Outcome outcome = run(job(2, {"sh", "-c", "echo last words >&2; exit 1"}));
  const std::vector<std::string> lines = lines_of(outcome.errors);
  ASSERT_EQ(lines.size(), 3u) << outcome.errors;
  EXPECT_EQ(lines[0], "last words");
  EXPECT_EQ(lines[1], "last words");
}

TEST(Ending, LargestJobRuns) {
  const Outcome outcome = run(job(256, {"sh", "-c", "echo $AQUEDUCT_RANK of $AQUEDUCT_SIZE"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.errors, "");
  const std::vector<std::string> lines = lines_of(outcome.output);
  EXPECT_EQ(lines.size(), 256u);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "255 of 256"), 1);
}

}  // namespace
}  // namespace job_test
