// A wait that never ends is in the timeline of the job, though calls are recorded when they return.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

constexpr double kTraceSeconds = 100;

TEST(Timeline, ShowsTheBarrierInWhichARankWasKilled) {
  const std::string file = testing::TempDir() + "open_wait_" + std::to_string(::getpid()) + ".json";
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--trace", file, AQUEDUCT_STANDSTILL, "barrier"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kTraceSeconds).size(), 1u);
  // Rank 0 says that it waits at the barrier once it does so for long.
  std::smatch rank;
  std::string text;
  do text = run({AQUEDUCT_LAUNCHER, "explain", std::to_string(job.pid())}).all();
  while (!std::regex_search(text, rank, std::regex(R"(rank 0 \(pid (\d+)\) waits for barrier 2)")));
  ::kill(std::stoi(rank[1]), SIGKILL);
  EXPECT_NE(job.finish(kTraceSeconds).exit_code, 0);

  std::ifstream in(file);
  const std::string json{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(std::regex_search(
      json,
      std::regex(
          R"("name":"gex_Event_Wait","pid":0,"tid":\d+,"ts":[0-9.]+,"dur":[0-9.]+,"args":\{"unfinished":true\})")))
      << json;
  const std::string summary = run({AQUEDUCT_LAUNCHER, "trace", "summary", file}).all();
  EXPECT_TRUE(
      std::regex_search(summary, std::regex(R"(Unfinished: rank 0 was in gex_Event_Wait for [0-9.]+ us)")))
      << summary;
  std::filesystem::remove(file);
}

TEST(Timeline, ShowsAWaitInBlockUntil) {
  const std::string file = testing::TempDir() + "block_until_" + std::to_string(::getpid()) + ".json";
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--trace", file, AQUEDUCT_STANDSTILL, "kinds"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kTraceSeconds).size(), 1u);
  std::smatch rank;
  std::string text;
  do text = run({AQUEDUCT_LAUNCHER, "explain", std::to_string(job.pid())}).all();
  while (!std::regex_search(text, rank,
                            std::regex(R"(rank 0 \(pid (\d+)\) waits for a message, in GASNET_BLOCKUNTIL)")));
  ::kill(std::stoi(rank[1]), SIGKILL);
  EXPECT_NE(job.finish(kTraceSeconds).exit_code, 0);
  const std::string summary = run({AQUEDUCT_LAUNCHER, "trace", "summary", file}).all();
  EXPECT_TRUE(
      std::regex_search(summary, std::regex(R"(Unfinished: rank 0 was in GASNET_BLOCKUNTIL for [0-9.]+ us)")))
      << summary;
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace aqueduct::test
