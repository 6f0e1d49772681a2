// Signals to the launcher reach every rank, once.
#include <gtest/gtest.h>

#include <csignal>

#include "process.hpp"

namespace job_test {
namespace {

int count(const std::string& text, const std::string& whole) {
  int found = 0;
  for (std::size_t at = 0; (at = whole.find(text, at)) != std::string::npos; at += text.size()) ++found;
  return found;
}

class EndingSignal : public testing::TestWithParam<int> {};

TEST_P(EndingSignal, EndsTheJobWithItsCode) {
  Process process(rank_job(3, {"wait"}));
  ASSERT_TRUE(process.wait_for("ready", 3));
  process.signal(GetParam());
  const Outcome outcome = process.finish();
  const int code = 128 + GetParam();
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.errors, "aqueduct: received signal " + std::to_string(GetParam()) + " (" +
                                strsignal(GetParam()) + "); the job ends with code " + std::to_string(code) +
                                "\n");
  EXPECT_LT(outcome.took, kSoon);
}

TEST_P(EndingSignal, EndsEvenRanksThatIgnoreIt) {
  Process process(rank_job(2, {"stubborn"}));
  ASSERT_TRUE(process.wait_for("ready", 2));
  process.signal(GetParam());
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 128 + GetParam());
  EXPECT_LT(outcome.took, kSoon);
}

INSTANTIATE_TEST_SUITE_P(All, EndingSignal, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT),
                         [](const auto& info) { return std::string("SIG") + sigabbrev_np(info.param); });

class ForwardedSignal : public testing::TestWithParam<int> {};

TEST_P(ForwardedSignal, ReachesTheHandlerOfEveryRankOnce) {
  Process process(rank_job(3, {"report-signals", std::to_string(GetParam())}, {"--tag"}));
  ASSERT_TRUE(process.wait_for("ready", 3));
  process.signal(GetParam());
  const Outcome outcome = process.finish();
  for (const char* line : {"[0] signalled", "[1] signalled", "[2] signalled"}) {
    EXPECT_EQ(count(line, outcome.output), 1) << outcome.output;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ForwardedSignal, testing::Values(SIGUSR1, SIGUSR2, SIGTERM, SIGINT),
                         [](const auto& info) { return std::string("SIG") + sigabbrev_np(info.param); });

TEST(Signal, UserSignalsLeaveTheCodeAlone) {
  Process process(rank_job(2, {"report-signals", std::to_string(SIGUSR1)}));
  ASSERT_TRUE(process.wait_for("ready", 2));
  process.signal(SIGUSR1);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Signal, ControlCOnTheTerminalReachesEveryRankOnce) {
  Command command = rank_job(2, {"report-signals", std::to_string(SIGINT)}, {"--tag"});
  command.on_terminal = true;
  Process process(command);
  ASSERT_TRUE(process.wait_for("ready", 2));
  process.write("\x03");
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(count("[0] signalled", outcome.output), 1) << outcome.output;
  EXPECT_EQ(count("[1] signalled", outcome.output), 1) << outcome.output;
}

TEST(Signal, ControlCIsTheReasonAndNotTheRankThatItKills) {
  for (int repetition = 0; repetition < 5; ++repetition) {
    Command command = rank_job(4, {"wait"});
    command.on_terminal = true;
    Process process(command);
    ASSERT_TRUE(process.wait_for("ready", 4));
    process.write("\x03");
    const Outcome outcome = process.finish();
    EXPECT_EQ(outcome.code, 130);
    EXPECT_NE(outcome.output.find("aqueduct: received signal 2 (Interrupt); the job ends with code 130\r\n"),
              std::string::npos)
        << outcome.output;
    EXPECT_EQ(outcome.output.find("was killed"), std::string::npos) << outcome.output;
  }
}

TEST(Signal, RankZeroReadsTheTerminal) {
  Command command = job(2, {"sh", "-c", "read word; echo got $word"}, {"--tag"});
  command.on_terminal = true;
  Process process(command);
  process.write("hello\n");
  const Outcome outcome = process.finish();
  EXPECT_NE(outcome.output.find("[0] got hello"), std::string::npos) << outcome.output;
}

TEST(Signal, HangUpIsIgnoredUnderNohup) {
  Process process({{"sh", "-c",
                    std::string("trap '' HUP; exec ") + AQUEDUCT_TOOL +
                        " run -n 2 sh -c 'echo ready; sleep 0.5; echo done'"}});
  ASSERT_TRUE(process.wait_for("ready", 2));
  process.signal(SIGHUP);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(count("done", outcome.output), 2) << outcome.output;
}

}  // namespace
}  // namespace job_test
