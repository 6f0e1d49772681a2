// What ranks write comes out once, in whole lines; what the job reads goes to rank 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <thread>

#include "process.hpp"

namespace job_test {
namespace {

TEST(Output, LinesOfManyRanksStayWholeAndInOrder) {
  constexpr int kRanks = 8, kLines = 200, kBody = 300;
  const Outcome outcome = run(rank_job(kRanks, {"lines", std::to_string(kLines), std::to_string(kBody)}));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  std::map<int, int> next_line;
  for (const std::string& line : lines_of(outcome.output)) {
    int rank = -1, number = -1, body_at = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%d %d %n", &rank, &number, &body_at), 2) << line;
    EXPECT_EQ(number, next_line[rank]++) << "rank " << rank;
    EXPECT_EQ(line.substr(static_cast<std::size_t>(body_at)),
              std::string(kBody, static_cast<char>('a' + rank % 26)));
  }
  ASSERT_EQ(next_line.size(), kRanks);
  for (const auto& [rank, count] : next_line) EXPECT_EQ(count, kLines) << "rank " << rank;
}

TEST(Output, LineOfALengthBeyondAnyPipeStaysWhole) {
  const Outcome outcome = run(rank_job(2, {"lines", "3", "200000"}));
  for (const std::string& line : lines_of(outcome.output)) EXPECT_EQ(line.size(), 200000u + 4);
  EXPECT_EQ(lines_of(outcome.output).size(), 6u);
}

TEST(Output, TagNamesTheRankOfEveryLine) {
  const Outcome outcome = run(job(3, {"sh", "-c", "echo out; echo err >&2"}, {"--tag"}));
  const auto sorted_lines = [](const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  EXPECT_EQ(sorted_lines(outcome.output), (std::vector<std::string>{"[0] out", "[1] out", "[2] out"}));
  EXPECT_EQ(sorted_lines(outcome.errors), (std::vector<std::string>{"[0] err", "[1] err", "[2] err"}));
}

TEST(Output, StreamsAreKeptApart) {
  const Outcome outcome = run(job(1, {"sh", "-c", "echo to-output; echo to-errors >&2"}));
  EXPECT_EQ(outcome.output, "to-output\n");
  EXPECT_EQ(outcome.errors, "to-errors\n");
}

TEST(Output, LastLineWithoutNewlineIsPassedOnUnchanged) {
  EXPECT_EQ(run(rank_job(1, {"partial-line"})).output, "no newline from 0");
}

TEST(Output, UnfinishedLinesOfSeveralRanksDoNotRunTogether) {
  const Outcome outcome = run(rank_job(2, {"partial-line"}));
  std::vector<std::string> lines = lines_of(outcome.output);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"no newline from 0", "no newline from 1"}));
}

TEST(Output, InputGoesToRankZeroAlone) {
  Command command = job(3, {"cat"}, {"--tag"});
  command.input = "first\nsecond\n";
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "[0] first\n[0] second\n");
}

TEST(Output, ReaderThatLeavesEndsTheJobQuietly) {
  Process process(job(2, {"yes"}));
  ASSERT_TRUE(process.wait_for("y\n"));
  process.close_output();
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 128 + SIGPIPE);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_LT(outcome.took, kSoon);
}

TEST(Output, PipedToHeadEndsToo) {
  const std::string tool = AQUEDUCT_TOOL;
  const Outcome outcome = run({{"sh", "-c", tool + " run -n 3 yes | head -n 1"}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "y\n");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_LT(outcome.took, kSoon);
}

TEST(Output, SlowReaderLosesNothingOfRanksThatHaveLeft) {
  const Command command = rank_job(4, {"lines", "500", "1000"});  // 2 MB, far more than a pipe holds
  Process process(command);
  std::this_thread::sleep_for(Seconds(1.5));
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(lines_of(outcome.output).size(), 2000u);
}

TEST(Output, FullDiskEndsTheJobWithTheReason) {
  const std::string tool = AQUEDUCT_TOOL;
  const Outcome outcome = run({{"sh", "-c", tool + " run -n 2 yes > /dev/full"}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors,
            "aqueduct: cannot write to standard output: No space left on device; the job ends with code 1\n");
}

}  // namespace
}  // namespace job_test
