// A wait that never ends is in the timeline of the job, though calls are recorded when they return.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
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

/// Kills the rank whose number `words` find in the report of the job, once they do: a rank says what it waits
/// for when it does so for long.
void kill_the_one_that(const std::string& words, Process& job) {
  const auto begin = std::chrono::steady_clock::now();
  std::smatch rank;
  std::string text;
  for (;;) {
    text = run({AQUEDUCT_LAUNCHER, "explain", std::to_string(job.pid())}).all();
    if (std::regex_search(text, rank, std::regex(words))) break;
    if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(kTraceSeconds)) {
      ADD_FAILURE() << "no report has '" << words << "'; the last one:\n" << text;
      return;
    }
    ::usleep(20'000);
  }
  ::kill(std::stoi(rank[1]), SIGKILL);
  EXPECT_NE(job.finish(kTraceSeconds).exit_code, 0);
}

TEST(Timeline, ShowsTheBarrierInWhichARankWasKilled) {
  const std::string file = testing::TempDir() + "open_wait_" + std::to_string(::getpid()) + ".json";
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--trace", file, AQUEDUCT_STANDSTILL, "barrier"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kTraceSeconds).size(), 1u);
  kill_the_one_that(R"(rank 0 \(pid (\d+)\) waits for barrier 2)", job);
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
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--trace", file, AQUEDUCT_STANDSTILL, "barrier"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kTraceSeconds).size(), 1u);
  kill_the_one_that(R"(rank 1 \(pid (\d+)\) waits for a message, in GASNET_BLOCKUNTIL)", job);
  const std::string summary = run({AQUEDUCT_LAUNCHER, "trace", "summary", file}).all();
  EXPECT_TRUE(
      std::regex_search(summary, std::regex(R"(Unfinished: rank 1 was in GASNET_BLOCKUNTIL for [0-9.]+ us)")))
      << summary;
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace aqueduct::test
