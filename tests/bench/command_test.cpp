// What the commands show, and that a result which fails its self-check does not pass.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tool.hpp"

namespace aqueduct::test {
namespace {

TEST(BenchCommand, ListsAllBenchmarks) {
  const Outcome outcome = tool(words("bench --list"));
  EXPECT_EQ(outcome.exit_code, 0);
  std::vector<std::string> names;
  for (const std::string& line : lines_of(outcome.out)) names.push_back(line.substr(0, line.find(' ')));
  EXPECT_EQ(names, (std::vector<std::string>{
                       "put-latency", "get-latency",  "put-bandwidth",  "get-bandwidth", "am-latency",
                       "am-flood",    "barrier",      "random-access",  "limits",        "put-flood",
                       "am-prepare",  "wait-modes",   "am-crowd",       "injection",     "reduce",
                       "broadcast",   "team-barrier", "team-broadcast", "portals-perf",  "portals-netpipe",
                       "atomics",     "vis-strided",  "udp-seal"}));
}

TEST(BenchCommand, ShowsTheCommandThatRepeatsTheRun) {
  const Outcome outcome = tool(words("bench put-latency --sizes 8,4096 --repetitions 2 --mode par"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_of(outcome.out)[0],
            "aqueduct bench put-latency -n 2 --sizes 8,4K --mode par --bind auto --repetitions 2");
}

TEST(BenchCommand, KeepsAnEarlierFileWhenTheRunCannotBeDone) {
  const std::string file = testing::TempDir() + "aqueduct-bench-earlier-" + std::to_string(getpid());
  std::ofstream(file) << "an earlier result";
  EXPECT_EQ(tool(words("bench am-latency --kind medium --sizes 16M --json " + file)).exit_code, 2);
  std::string left;
  std::getline(std::ifstream(file), left);
  EXPECT_EQ(left, "an earlier result");
  std::remove(file.c_str());
}

TEST(SelfCheck, CountsNoErrorInASoundRun) {
  const Stored stored = stored_bench(words("random-access --sizes 16K --repetitions 2"));
  ASSERT_EQ(stored.outcome.exit_code, 0) << stored.outcome.all();
  EXPECT_EQ(stored.json.at("rows")[0].at("errors"), 0);
  EXPECT_EQ(stored.json["rows"][0].at("updates"), 2 * 4 * 2 * 16384 / 8) << "repetitions, updates, words";
}

TEST(SelfCheck, FindsOneSpoiltWord) {
  const Stored stored = stored_bench(words("random-access --sizes 16K --repetitions 2 --inject-error"));
  EXPECT_EQ(stored.outcome.exit_code, 1);
  EXPECT_EQ(stored.outcome.err, "aqueduct bench: the self-check of random-access failed\n");
  EXPECT_EQ(stored.json.at("rows")[0].at("errors"), 1);
  EXPECT_NE(stored.json.at("failure"), "");
}

TEST(SelfCheck, RefusesMoreErrorsThanTheRulesAllow) {
  // Words of so small a table are taken several times in a round, by whichever ranks.
  const Outcome outcome = tool(words("bench random-access --version get-put --sizes 4K --repetitions 1"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("of 1024 words are wrong, and 1 % may be"), std::string::npos) << outcome.err;
}

TEST(LookAhead, IsHeldByEveryVersion) {
  const struct {
    const char* version;
    unsigned look_ahead;
    unsigned most;
  } kRuns[] = {{"aggregated", 1024, 1024}, {"aggregated", 40, 40},     {"aggregated", 1, 1},
               {"atomics", 300, 300},      {"get-put", 8, 8},          {"velo", 1024, 32},
               {"active-messages", 5, 0},  {"message-passing", 50, 50}};
  for (const auto& run : kRuns) {
    const Stored stored =
        stored_bench(words(std::string("random-access --sizes 32K --repetitions 1 --version ") + run.version +
                           " --look-ahead " + std::to_string(run.look_ahead)));
    // Whether a get-put has few enough errors is up to when ranks are interrupted.
    if (std::string(run.version) != "get-put") {
      ASSERT_EQ(stored.outcome.exit_code, 0) << run.version << ": " << stored.outcome.all();
    }
    EXPECT_LE(stored.json.at("rows")[0].at("look_ahead"), run.most) << run.version;
  }
}

TEST(DemoCommand, EndsInASummaryWithThePassedSelfCheck) {
  const Outcome outcome = tool(words("demo --repetitions 2"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"put of 8 bytes", "get of 8 bytes", "puts of 1 MiB", "message, there and back",
                           "barrier of 2 ranks", "RandomAccess on", "In short", "passed"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace aqueduct::test
