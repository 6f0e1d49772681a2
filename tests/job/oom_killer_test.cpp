// What the kernel's files say of its out-of-memory killer.
#include "job/supervision/oom_killer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

using aqueduct::job::oom_kills_in;

TEST(OomKiller, IsCountedInFilesOfBothVersionsOfControlGroups) {
  EXPECT_EQ(oom_kills_in("low 0\nhigh 0\nmax 212\noom 4\noom_kill 3\noom_group_kill 0\n"), 3u);
  EXPECT_EQ(oom_kills_in("oom_kill_disable 0\nunder_oom 0\noom_kill 17\n"), 17u);
}

TEST(OomKiller, IsNotCountedWhereTheKernelDoesNot) {
  EXPECT_FALSE(oom_kills_in(""));
  EXPECT_FALSE(oom_kills_in("oom_kill_disable 1\nunder_oom 0\n"));
  EXPECT_FALSE(oom_kills_in("oom_kill\n"));
}

class OomNews : public testing::Test {
 protected:
  void SetUp() override {
    group_ = testing::TempDir() + "oom-group-" + std::to_string(getpid());
    system_ = testing::TempDir() + "oom-system-" + std::to_string(getpid());
    write(group_, 2);
    write(system_, 5);
  }
  void TearDown() override {
    std::remove(group_.c_str());
    std::remove(system_.c_str());
  }
  static void write(const std::string& path, int kills) {
    std::ofstream(path) << "oom 9\noom_kill " << kills << "\n";
  }

  std::string group_, system_;
};

TEST_F(OomNews, AreNoneWhereNothingHappened) {
  aqueduct::job::OomKiller killer(group_, system_);
  EXPECT_EQ(killer.news(), "");
}

TEST_F(OomNews, AreSaidOnceAndNameTheControlGroupWhereItIsKnown) {
  aqueduct::job::OomKiller killer(group_, system_);
  write(system_, 6);
  EXPECT_EQ(killer.news(), ", while the out-of-memory killer was at work on this machine");
  EXPECT_EQ(killer.news(), "");
  write(group_, 3);
  write(system_, 7);
  EXPECT_EQ(killer.news(), ", while the out-of-memory killer was at work in its control group");
}

TEST_F(OomNews, AreNoneWhereTheKernelDoesNotCount) {
  aqueduct::job::OomKiller killer("", "/nowhere");
  EXPECT_EQ(killer.news(), "");
}

}  // namespace
