// The counters of a job that runs, as `aqueduct top` shows them.
#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

constexpr double kPatience = 100;

std::string table(pid_t job, std::vector<std::string> options = {}) {
  std::vector<std::string> command = {AQUEDUCT_LAUNCHER, "top", "--once", std::to_string(job)};
  command.insert(command.end(), options.begin(), options.end());
  return run(command).all();
}

/// Asks until the words are there.
std::string table_with(const std::string& words, pid_t job, std::vector<std::string> options = {}) {
  const auto begin = std::chrono::steady_clock::now();
  std::string text;
  do {
    text = table(job, options);
    if (std::regex_search(text, std::regex(words))) return "";
  } while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(kPatience));
  return text;
}

TEST(Counters, OfARankThatWaitsForCredits) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_STANDSTILL, "credits"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  // On its way out of the first barrier rank 1 may still take some: how many were sent, and how often rank 0
  // had to wait, is at least what fills the mailbox, once.
  EXPECT_EQ(table_with(R"( 0 waits  +\d{2,} +\d+ +\d+ +6[45] +[1-9]\d* .*credits: room)", job.pid()), "");
  EXPECT_EQ(table_with(R"(\n +1 sent +\d{2,}( +0){7}\n +received( +\d+){8}\n +in flight +6[45]( +0){6}\n)",
                       job.pid(), {"--rank", "0"}),
            "");
  EXPECT_EQ(table_with(R"(\n +1 +[1-9]\d* +0  mailbox [1-9]\d*\n)", job.pid(), {"--rank", "0"}), "");
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--rank", "0"}}) {
    for (const std::string& line : lines_of(table(job.pid(), options))) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(Counters, OverANetworkSayWhatIsLacking) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--conduit", "wire", AQUEDUCT_STANDSTILL, "credits"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  EXPECT_EQ(table_with(R"(\n +1 +[1-9]\d* +0  credits [1-9]\d*\n)", job.pid(), {"--rank", "0"}), "");
}

// Also of the neighbours beyond those whose mailboxes are opened at the start.
TEST(Counters, OfEachKind) {
  for (const char* ranks : {"2", "18"}) {
    Process job({AQUEDUCT_LAUNCHER, "run", "-n", ranks, AQUEDUCT_STANDSTILL, "kinds"});
    ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
    const std::string last = std::to_string(std::stoi(ranks) - 1);
    EXPECT_EQ(
        table_with(
            "\n +" + last +
                R"( sent +3 +2 +1 +0 +0 +0 +0 +12\n +received +1( +0){7}\n +in flight +3 +2 +1( +0){4}\n)",
            job.pid(), {"--rank", "0"}),
        "");
  }
}

// Messages of the barrier go the same way; and a put and a get, which are messages there, are under way.
TEST(Counters, OfEachKindOverANetwork) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--conduit", "wire", AQUEDUCT_STANDSTILL, "kinds"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  EXPECT_EQ(
      table_with(
          R"(\n +1 sent +\d+ +2 +2 +0 +1 +1 +0 +24\n +received +[1-9]\d*( +0){7}\n +in flight +[4-9] +2 +2 +0 +1 +1 +0\n)",
          job.pid(), {"--rank", "0"}),
      "");
}

TEST(Counters, OfARankThatIsNotThere) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_STANDSTILL, "barrier"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  EXPECT_NE(table(job.pid(), {"--rank", "7"}).find("has no rank 7"), std::string::npos);
  EXPECT_NE(table(job.pid(), {"--rank", "x"}).find("--rank"), std::string::npos);
}

// Without a terminal the tables follow each other, and end with the job.
TEST(Counters, OfAJobThatEnds) {
  Process job({"sh", "-c", "sleep 0.5 | " AQUEDUCT_LAUNCHER " run -n 2 " AQUEDUCT_STANDSTILL}, {});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  const std::vector<std::string> lines = lines_with(run({AQUEDUCT_LAUNCHER, "ps"}).out, AQUEDUCT_STANDSTILL);
  ASSERT_FALSE(lines.empty());
  const std::string number = lines[0].substr(0, 8);
  const Outcome top =
      run({AQUEDUCT_LAUNCHER, "top", "--interval", "0.05", number.substr(number.find_first_not_of(' '))});
  EXPECT_EQ(top.exit_code, 0) << top.all();
  EXPECT_EQ(top.out.find('\x1b'), std::string::npos);
  EXPECT_NE(top.out.find("SENT/s"), std::string::npos) << top.out;
  EXPECT_NE(top.out.find("has ended"), std::string::npos) << top.out;
  job.finish(kPatience);
}

}  // namespace
}  // namespace aqueduct::test
