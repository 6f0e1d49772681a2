// Whatever ends a job, no process and no shared memory stays.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "process.hpp"

namespace job_test {
namespace {

std::set<std::string> shared_memory_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) names.insert(entry.path());
  return names;
}

/// Fails unless every file in /dev/shm that was not there before the test is gone after it.
class Leftovers : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& name : shared_memory_files()) {
      EXPECT_TRUE(before_.count(name) == 1 || name.find("aqueduct") == std::string::npos) << name;
    }
    EXPECT_TRUE(all_gone(mark_));
  }

  const std::string mark_ = unique_mark();
  const std::set<std::string> before_ = shared_memory_files();
};

TEST_F(Leftovers, RanksDieWithTheLauncher) {
  Process process(rank_job(4, {"stubborn", mark_}));
  ASSERT_TRUE(process.wait_for("ready", 4));
  EXPECT_EQ(processes_with(mark_).size(), 6u);  // ranks, supervisor and guard
  process.signal(SIGKILL);
  EXPECT_TRUE(all_gone(mark_));
}

TEST_F(Leftovers, RanksDieWithTheFirstProcessOfADirectStart) {
  Command command = rank_program({"stubborn", mark_});
  command.environment = {{"AQUEDUCT_RANKS", "3"}};
  Process process(command);
  ASSERT_TRUE(process.wait_for("ready", 3));
  process.signal(SIGKILL);
  EXPECT_TRUE(all_gone(mark_));
}

TEST_F(Leftovers, GrandchildrenDieWithTheLauncher) {
  Process process(job(2, {"sh", "-c", "echo ready; sleep " + mark_ + "; true"}));
  ASSERT_TRUE(process.wait_for("ready", 2));
  process.signal(SIGKILL);
  EXPECT_TRUE(all_gone(mark_));
}

TEST_F(Leftovers, GrandchildrenDieWithTheSupervisor) {
  // The parent of a rank is the supervisor; the process that we started is its guard.
  Process process(job(2, {"sh", "-c", "kill -KILL $PPID; sleep " + mark_ + "; true"}));
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 137);
  EXPECT_EQ(outcome.errors, "aqueduct: the supervisor was killed: Killed; the job ends with code 137\n");
  EXPECT_TRUE(processes_with(mark_).empty());
}

TEST_F(Leftovers, BackgroundProcessesOfRanksEndWithTheJob) {
  const Outcome outcome = run(job(3, {"sh", "-c", "sleep " + mark_ + " & sleep " + mark_ + " & exit 0"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(processes_with(mark_).empty());
}

TEST_F(Leftovers, BackgroundProcessesThatDetachEndWithTheJob) {
  const Outcome outcome =
      run(job(2, {"sh", "-c", "setsid sh -c 'trap \"\" TERM HUP; sleep " + mark_ + "; true' & exit 0"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(processes_with(mark_).empty());
}

TEST_F(Leftovers, GrandchildrenOfACrashedJobAreGone) {
  const Outcome outcome =
      run(job(2, {"sh", "-c", "test $AQUEDUCT_RANK = 0 && kill -KILL $$; sleep " + mark_ + "; true"}));
  EXPECT_EQ(outcome.code, 137);
  EXPECT_TRUE(processes_with(mark_).empty());
}

TEST_F(Leftovers, RankBehindAShellDiesWithTheSupervisor) {
  // The shell between is no child that we could ask to die in the rank's place, and the rank ignores
  // everything else.
  Process process(job(2, {"sh", "-c", std::string(RANK_PROGRAM) + " stubborn " + mark_ + "; true"}));
  ASSERT_TRUE(process.wait_for("ready", 2));
  process.signal(SIGKILL);
  EXPECT_TRUE(all_gone(mark_));
}

TEST_F(Leftovers, ProcessesThatTheLauncherInheritedAreLeftAlone) {
  const std::string tool = AQUEDUCT_TOOL;
  const Outcome outcome =
      run({{"sh", "-c", "sleep " + mark_ + " >&- 2>&- & exec " + tool + " run -n 2 true"}});
  EXPECT_EQ(outcome.code, 0);
  ASSERT_EQ(processes_with(mark_).size(), 1u);
  kill(processes_with(mark_)[0], SIGKILL);
}

}  // namespace
}  // namespace job_test
