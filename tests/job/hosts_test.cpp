// One machine that counts as several hosts: their leaders meet over TCP while the job starts, and whatever
// goes wrong with that ends the job with one line.
#include <gtest/gtest.h>

#include <algorithm>

#include "process.hpp"

namespace job_test {
namespace {

Command hosts_job(int ranks, const std::string& layout, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HOSTS_PROGRAM);
  return job(ranks, arguments, {"--layout", layout});
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct Meeting {
  const char* name;
  const char* layout;
  std::vector<const char*> ranks;
};
void PrintTo(const Meeting& meeting, std::ostream* out) { *out << meeting.name; }

class SeveralHosts : public testing::TestWithParam<Meeting> {
 protected:
  static void expect_meeting(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    std::vector<std::string> expected;
    for (const char* rank : GetParam().ranks) expected.push_back(std::string("rank ") + rank);
    EXPECT_EQ(sorted_lines(outcome.output), expected);
  }
};

TEST_P(SeveralHosts, MeetThroughTheirLeaders) {
  expect_meeting(run(hosts_job(4, GetParam().layout, {"meet"})));
}

TEST_P(SeveralHosts, MeetInAProgramThatStartsItsOwnRanks) {
  Command command;
  command.arguments = {HOSTS_PROGRAM, "meet"};
  command.environment = {{"AQUEDUCT_RANKS", "4"}, {"AQUEDUCT_LAYOUT", GetParam().layout}};
  expect_meeting(run(command));
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, SeveralHosts,
    testing::Values(Meeting{"One",
                            "4",
                            {"0 sum 6 rendezvous 0 connections 0", "1 sum 6 rendezvous 0 connections 0",
                             "2 sum 6 rendezvous 0 connections 0", "3 sum 6 rendezvous 0 connections 0"}},
                    Meeting{"TwoAndTwo",
                            "2+2",
                            {"0 sum 6 rendezvous 1 connections 1", "1 sum 6 rendezvous 0 connections 0",
                             "2 sum 6 rendezvous 1 connections 1", "3 sum 6 rendezvous 0 connections 0"}},
                    Meeting{"ThreeAndOne",
                            "3+1",
                            {"0 sum 6 rendezvous 1 connections 1", "1 sum 6 rendezvous 0 connections 0",
                             "2 sum 6 rendezvous 0 connections 0", "3 sum 6 rendezvous 1 connections 1"}},
                    Meeting{"OneAndOneAndTwo",
                            "1+1+2",
                            {"0 sum 6 rendezvous 1 connections 2", "1 sum 6 rendezvous 1 connections 1",
                             "2 sum 6 rendezvous 1 connections 1", "3 sum 6 rendezvous 0 connections 0"}},
                    Meeting{"Interleaved",
                            "0,2/1,3",
                            {"0 sum 6 rendezvous 1 connections 1", "1 sum 6 rendezvous 1 connections 1",
                             "2 sum 6 rendezvous 0 connections 0", "3 sum 6 rendezvous 0 connections 0"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Hosts, WithoutALayoutThereIsNoRendezvous) {
  const Outcome outcome = run(job(2, {HOSTS_PROGRAM, "meet"}));
  EXPECT_EQ(sorted_lines(outcome.output),
            (std::vector<std::string>{"rank 0 sum 1 rendezvous 0 connections 0",
                                      "rank 1 sum 1 rendezvous 0 connections 0"}));
}

TEST(Hosts, WhatLeadersAreToldIsNotInheritedByProgramsThatARankStarts) {
  const Outcome outcome = run(job(
      2, {RANK_PROGRAM, "shell", "env | grep -c 'AQUEDUCT_\\(JOB_\\|RENDEZVOUS\\)'"}, {"--layout", "1+1"}));
  EXPECT_EQ(outcome.output, "0\n0\n");
}

/// At any point of its first operation: before it has registered, while it connects, when it is over.
TEST(Hosts, ALeaderThatIsKilledWhileTheJobStartsEndsItWithOneLine) {
  for (const char* rank : {"0", "2", "3"}) {
    for (const char* steps : {"0", "1", "2", "4", "100", "100000"}) {
      const std::string mark = unique_mark();
      const Outcome outcome = run(hosts_job(4, "2+1+1", {"kill", rank, steps, mark}));
      EXPECT_EQ(outcome.code, 137) << steps;
      EXPECT_EQ(outcome.errors, std::string("aqueduct: rank ") + rank +
                                    " was killed by signal 9 (Killed); the job ends with code 137\n")
          << steps;
      EXPECT_TRUE(all_gone(mark));
    }
  }
}

TEST(Hosts, ALeaderMayLeaveWhileTheJobStarts) {
  for (const char* rank : {"0", "2"}) {
    for (const char* steps : {"0", "3", "100000"}) {
      const Outcome outcome = run(hosts_job(4, "2+2", {"exit", rank, steps}));
      EXPECT_EQ(outcome.code, 5);
      EXPECT_EQ(outcome.errors,
                std::string("aqueduct: rank ") + rank + " called gasnet_exit(5); the job ends with code 5\n");
    }
  }
}

Outcome with_setting_at_rank_1(const std::string& setting, std::vector<std::string> options) {
  return run(
      job(4, {"sh", "-c", "if [ $AQUEDUCT_RANK = 1 ]; then " + setting + "; fi; exec " HOSTS_PROGRAM " meet"},
          std::move(options)));
}

TEST(Hosts, RanksOfAnotherLayoutAreNamed) {
  struct Difference {
    const char* setting;
    std::vector<std::string> options;
    const char* says;
  };
  for (const Difference& difference : {
           Difference{"export AQUEDUCT_LAYOUT=2+2",
                      {"--layout", "3+1"},
                      "rank 1 has AQUEDUCT_LAYOUT 2+2 and the job was started with 3+1"},
           Difference{"export AQUEDUCT_LAYOUT=2+2",
                      {},
                      "rank 1 has AQUEDUCT_LAYOUT 2+2 and the job was started with none"},
           Difference{"unset AQUEDUCT_LAYOUT",
                      {"--layout", "0,2/1,3"},
                      "rank 1 has AQUEDUCT_LAYOUT none and the job was started with 0,2/1,3"},
           Difference{"export AQUEDUCT_LAYOUT=2+3",
                      {"--layout", "2+2"},
                      "AQUEDUCT_LAYOUT='2+3' is no layout of 4 ranks"},
           Difference{"export GASNET_SUPERNODE_MAXSIZE=2",
                      {},
                      "rank 1 has GASNET_SUPERNODE_MAXSIZE 2 and the job was started with none"},
       }) {
    const Outcome outcome = with_setting_at_rank_1(difference.setting, difference.options);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
    EXPECT_NE(outcome.errors.find(difference.says), std::string::npos) << outcome.errors;
  }
}

TEST(Hosts, TheSameLayoutInOtherWordsIsTheSame) {
  const Outcome outcome = with_setting_at_rank_1("export AQUEDUCT_LAYOUT=0-1/2,3", {"--layout", "2+2"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
}

TEST(Hosts, LayoutsThatAreNoneStartNothing) {
  std::string many = "1";
  for (int i = 1; i < 16385; ++i) many += "+1";
  struct Wrong {
    int ranks;
    std::string layout;
    const char* says;
  };
  for (const Wrong& wrong : {
           Wrong{3, "0,1/1,2", "rank 1 is on host 0 and on host 1"},
           Wrong{3, "0/1", "rank 2 is on no host"},
           Wrong{3, "0,1//2", "host 1 has no ranks"},
           Wrong{3, "3+0", "host 1 has no ranks"},
           Wrong{3, "2+2", "it places 4 ranks, and the job has 3"},
           Wrong{3, "0,1/2,3", "rank 3 is not one of the job's 3"},
           Wrong{3, "two", "'two' is not a number of ranks"},
           Wrong{16385, many, " has 16385 hosts; one machine counts as at most 16384"},
       }) {
    Outcome outcome = run(job(wrong.ranks, {"echo", "started"}, {"--layout", wrong.layout}));
    EXPECT_EQ(outcome.code, 2) << wrong.layout;
    EXPECT_EQ(outcome.output, "") << wrong.layout;
    EXPECT_EQ(lines_of(outcome.errors).size(), 2u) << outcome.errors;  // with a hint
    EXPECT_NE(outcome.errors.find(wrong.says), std::string::npos) << outcome.errors;
    EXPECT_EQ(outcome.errors.rfind("aqueduct: --layout ", 0), 0u) << outcome.errors;
    Command by_environment = job(wrong.ranks, {"echo", "started"}, {});
    by_environment.environment["AQUEDUCT_LAYOUT"] = wrong.layout;
    outcome = run(by_environment);
    EXPECT_EQ(outcome.code, 1) << wrong.layout;
    EXPECT_EQ(outcome.output, "") << wrong.layout;
    EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
    EXPECT_NE(outcome.errors.find(wrong.says), std::string::npos) << outcome.errors;
  }
}

}  // namespace
}  // namespace job_test
