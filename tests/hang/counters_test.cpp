// The counters of a job that runs, as `aqueduct top` shows them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
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

// A debug build adds Mediums, by which ranks compare the arguments of collectives, and calls the library for
// puts and gets that are else inline code of the client.

TEST(Counters, OfARankThatWaitsForCredits) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_STANDSTILL, "credits"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  // The queue of a mailbox has 64 places; the first request may lie beside it.
  EXPECT_EQ(table_with(R"( 0 waits  +6[4-6] +\d+ +\d+ +6[45] +1 .*credits: room)", job.pid()), "");
  EXPECT_EQ(
      table_with(
          R"(\n +1 sent +6[45] +[01]( +0){5} +\d+\n +received( +\d+){8}\n +in flight +6[345] +[01]( +0){5}\n)",
          job.pid(), {"--rank", "0"}),
      "");
  EXPECT_EQ(table_with(R"(\n +1 +1 +0  mailbox 1\n)", job.pid(), {"--rank", "0"}), "");
}

TEST(Counters, FitInEightyColumns) {
  std::string program = AQUEDUCT_STANDSTILL;
  for (int i = 0; i < 50; ++i) program.insert(program.rfind('/'), "/.");
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", program, "credits"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--rank", "0"}}) {
    const std::string text = table(job.pid(), options);
    EXPECT_NE(text.find(": standstill credits, 2 ranks"), std::string::npos) << text;
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80u) << line;
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
                R"( sent +3 +[2-4] +1 +0 +[01] +[01] +0 +\d+\n +received +1 +[01]( +0){5} +\d+\n +in flight +3 +[2-4] +1( +0){4}\n)",
            job.pid(), {"--rank", "0"}),
        "");
  }
}

// Messages of barriers go the same way; and a put and a get, which are messages there, are under way.
TEST(Counters, OfEachKindOverANetwork) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--conduit", "wire", AQUEDUCT_STANDSTILL, "kinds"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  EXPECT_EQ(
      table_with(
          R"(\n +1 sent +\d+ +[2-4] +2 +0 +1 +1 +0 +\d+\n +received +[1-9]\d* +[01]( +0){5} +\d+\n +in flight +[4-9] +[2-4] +2 +0 +1 +1 +0\n)",
          job.pid(), {"--rank", "0"}),
      "");
}

// Where the others go on, nothing is on its way to the dead any more.
TEST(Counters, OfARankThatHasDied) {
  for (const char* conduit : {"smp", "wire"}) {
    Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", "--conduit", conduit, AQUEDUCT_STANDSTILL, "kinds"},
                {"AQUEDUCT_ON_FAILURE=report"});
    ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
    EXPECT_EQ(table_with(R"( in flight +[3-9] +[2-4] +[1-9])", job.pid(), {"--rank", "0"}), "");
    const std::string ranks = run({AQUEDUCT_LAUNCHER, "explain", std::to_string(job.pid())}).out;
    std::smatch rank;
    ASSERT_TRUE(std::regex_search(ranks, rank, std::regex(R"(rank 1 \(pid (\d+)\))"))) << ranks;
    ::kill(std::stoi(rank[1]), SIGKILL);
    EXPECT_EQ(
        table_with(R"(\n +1 sent +[1-9].*\n +received.*\n +in flight( +0){7}\n)", job.pid(), {"--rank", "0"}),
        "");
    EXPECT_EQ(table_with(R"(\n +0 waits +\d+ +\d+ +\d+ +0 [^\n]*\n +1 left +\d+ +\d+ +\d+ +0 )", job.pid()),
              "");
  }
}

TEST(Counters, OfARankThatIsNotThere) {
  Process job({AQUEDUCT_LAUNCHER, "run", "-n", "2", AQUEDUCT_STANDSTILL, "barrier"});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  EXPECT_NE(table(job.pid(), {"--rank", "7"}).find("has no rank 7"), std::string::npos);
  EXPECT_NE(table(job.pid(), {"--rank", "x"}).find("--rank"), std::string::npos);
}

// Without a terminal the tables follow each other, and end with the job, which ends when its input does.
TEST(Counters, OfAJobThatEnds) {
  const std::string input = testing::TempDir() + "aqueduct-top-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(input.c_str(), 0600), 0);
  const int end_of_input = ::open(input.c_str(), O_RDWR | O_CLOEXEC);
  Process job({"sh", "-c", "exec " AQUEDUCT_LAUNCHER " run -n 2 " AQUEDUCT_STANDSTILL " <" + input});
  ASSERT_EQ(job.wait_for_lines("ready", 1, kPatience).size(), 1u);
  ::unlink(input.c_str());
  Process top({AQUEDUCT_LAUNCHER, "top", "--interval", "0.05", std::to_string(job.pid())});
  EXPECT_EQ(top.wait_for_lines("SENT/s", 1, kPatience).size(), 1u);
  ::close(end_of_input);
  const Outcome outcome = top.finish(kPatience);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_NE(outcome.out.find("has ended"), std::string::npos) << outcome.out;
  job.finish(kPatience);
}

}  // namespace
}  // namespace aqueduct::test
