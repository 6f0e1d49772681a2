// A rank that dies in the middle of traffic takes the whole job with it, soon, with one line, and leaves
// nothing behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

constexpr int kRanks = 4;
/// A job should end within a second. A loaded machine takes longer, and no functional test should fail for
/// that: scripts/check_all sets the second for a run on an idle machine.
double seconds_to_end() {
  const char* const text = std::getenv("AQUEDUCT_TEST_SECONDS_TO_END");
  return text ? std::stod(text) : 20;
}

std::set<std::string> shared_memory_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    names.insert(entry.path().filename());
  return names;
}

bool lives(pid_t pid) {
  // A process that has ended but whose parent has not looked yet is no longer alive.
  std::FILE* status = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
  if (!status) return false;
  char state = 'X';
  const int found = std::fscanf(status, "%*d (%*[^)]) %c", &state);
  std::fclose(status);
  return found == 1 && state != 'Z' && state != 'X';
}

/// What the job does when death comes.
struct Traffic {
  const char* name;
  const char* conduit;
  const char* program;
};

class Killing : public ::testing::TestWithParam<Traffic> {
 protected:
  void start(const char* ending = "") {
    before_ = shared_memory_files();
    std::vector<std::string> command{AQUEDUCT_LAUNCHER,      "run",       "-n",
                                     std::to_string(kRanks), "--conduit", GetParam().conduit,
                                     GetParam().program};
    if (*ending) command.push_back(ending);
    job_ = std::make_unique<Process>(command);
    const auto lines = job_->wait_for_lines("is process", kRanks, 30);
    ASSERT_EQ(lines.size(), std::size_t{kRanks}) << "the traffic did not begin";
    for (const auto& line : lines) {
      unsigned rank = 0;
      int pid = 0;
      ASSERT_EQ(std::sscanf(line.c_str(), "rank %u is process %d", &rank, &pid), 2);
      pids_.at(rank) = pid;
    }
  }

  // Waits for the end and checks what every end must look like. `part` is in the one line, unless it is
  // empty.
  void expect_end(int exit_code, const std::string& part) {
    const auto from = std::chrono::steady_clock::now();
    const Outcome outcome = job_->finish(30);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_LT(seconds, seconds_to_end());
    EXPECT_EQ(outcome.exit_code, exit_code);
    const auto lines = lines_of(outcome.err);
    EXPECT_EQ(lines.size(), part.empty() ? 0u : 1u) << outcome.err;
    if (!lines.empty()) {
      EXPECT_NE(lines[0].find(part), std::string::npos) << lines[0];
    }
    for (pid_t pid : pids_) EXPECT_FALSE(lives(pid)) << "process " << pid << " is left";
    EXPECT_EQ(shared_memory_files(), before_);
  }

  std::array<pid_t, kRanks> pids_{};
  std::unique_ptr<Process> job_;
  std::set<std::string> before_;
};

TEST_P(Killing, ARankInTheMiddleOfTrafficEndsTheJob) {
  start();
  kill(pids_[2], SIGKILL);
  expect_end(128 + SIGKILL, "rank 2 was killed by signal 9");
}

TEST_P(Killing, RankZeroIsNoDifferent) {
  start();
  kill(pids_[0], SIGKILL);
  expect_end(128 + SIGKILL, "rank 0 was killed by signal 9");
}

TEST_P(Killing, ASignalThatARankDoesNotHandleEndsTheJob) {
  start();
  kill(pids_[3], SIGABRT);
  expect_end(128 + SIGABRT, "rank 3 was killed by signal 6");
}

TEST_P(Killing, ARequestToEndKillsARankThatDoesNotHandleIt) {
  start();
  kill(pids_[2], SIGTERM);
  expect_end(128 + SIGTERM, "rank 2 was killed by signal 15");
}

TEST_P(Killing, ACrashingRankEndsTheJob) {
  start("crash");
  expect_end(128 + SIGSEGV, "rank 1 was killed by signal 11");
}

TEST_P(Killing, ARankThatReturnsACodeEndsTheJob) {
  start("return");
  expect_end(3, "rank 1 ended with code 3");
}

TEST_P(Killing, ExitingInAHandlerEndsTheJobWithItsCode) {
  start("exit");
  expect_end(7, "rank 1 called gasnet_exit(7)");
}

TEST_P(Killing, TheLauncherTakesItsRanksWithIt) {
  start();
  kill(job_->pid(), SIGKILL);
  const Outcome outcome = job_->finish(seconds_to_end());
  EXPECT_FALSE(outcome.timed_out) << "a rank still holds the launcher's output";
  for (int i = 0; i < 50; ++i) {
    bool any = false;
    for (pid_t pid : pids_) any |= lives(pid);
    if (!any) break;
    usleep(100'000);
  }
  for (pid_t pid : pids_) EXPECT_FALSE(lives(pid)) << "process " << pid << " is left";
  EXPECT_EQ(shared_memory_files(), before_);
}

TEST_P(Killing, AnInterruptedLauncherEndsTheJob) {
  start();
  kill(job_->pid(), SIGTERM);
  expect_end(128 + SIGTERM, "signal 15");
}

class Finishing : public Killing {};

TEST_P(Finishing, ARankThatReturnsWhileOthersWaitForItEndsTheJob) {
  setenv("GASNET_EXITTIMEOUT", "0", 1);
  start("finish");
  unsetenv("GASNET_EXITTIMEOUT");
  expect_end(1, "rank 1 returned from main or called exit(0), and rank");
}

INSTANTIATE_TEST_SUITE_P(All, Finishing, ::testing::Values(Traffic{"Smp", "smp", AQUEDUCT_TRAFFIC}));

// A client registers a handler for SIGQUIT to learn that its rank has to end.
class Quitting : public Killing {};

TEST_P(Quitting, AnInterruptedRankRunsItsHandler) {
  start("quits");
  kill(pids_[2], SIGINT);
  expect_end(5, "rank 2 called gasnet_exit(5)");
}

TEST_P(Quitting, ARankWithoutAHandlerLeavesWithAnError) {
  start();
  kill(pids_[2], SIGQUIT);
  expect_end(1, "rank 2 received signal 3 (Quit)");
}

TEST_P(Quitting, ARankWhoseSignalIsLeftAloneDiesOfIt) {
  setenv("GASNET_NO_CATCH_SIGNAL", "QUIT", 1);
  start();
  unsetenv("GASNET_NO_CATCH_SIGNAL");
  kill(pids_[2], SIGQUIT);
  expect_end(128 + SIGQUIT, "rank 2 was killed by signal 3");
}

TEST_P(Quitting, SignalsThatTheLibraryLeavesAloneKill) {
  setenv("GASNET_NO_CATCH_SIGNAL", "INT", 1);
  start("quits");
  unsetenv("GASNET_NO_CATCH_SIGNAL");
  kill(pids_[2], SIGINT);
  expect_end(128 + SIGINT, "rank 2 was killed by signal 2");
}

INSTANTIATE_TEST_SUITE_P(All, Quitting, ::testing::Values(Traffic{"Smp", "smp", AQUEDUCT_TRAFFIC}));

INSTANTIATE_TEST_SUITE_P(All, Killing,
                         ::testing::Values(Traffic{"Smp", "smp", AQUEDUCT_TRAFFIC},
                                           Traffic{"Wire", "wire", AQUEDUCT_TRAFFIC},
                                           Traffic{"Portals", "smp", AQUEDUCT_PORTALS_TRAFFIC}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace aqueduct::test
