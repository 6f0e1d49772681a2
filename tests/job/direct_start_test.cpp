// A program started without the launcher: alone, or with ranks of its own. And what a rank finds when it has
// joined.
#include <gtest/gtest.h>

#include <thread>

#include "process.hpp"

namespace job_test {
namespace {

Outcome start(const std::map<std::string, std::string>& environment, std::vector<std::string> arguments) {
  Command command = rank_program(std::move(arguments));
  command.environment = environment;
  return run(command);
}

TEST(DirectStart, WithoutACountIsAJobOfOne) {
  const Outcome outcome = start({}, {"place"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output.rfind("rank 0 of 1 ", 0), 0u) << outcome.output;
  EXPECT_NE(outcome.output.find(" supervised 0 "), std::string::npos) << outcome.output;
  EXPECT_EQ(start({}, {"memory"}).output, "sum 1\n");
}

class CountVariable : public testing::TestWithParam<const char*> {};

TEST_P(CountVariable, StartsSoManyRanks) {
  const Outcome outcome = start({{GetParam(), "4"}}, {"memory"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "sum 10\nsum 10\nsum 10\nsum 10\n");
}

TEST_P(CountVariable, RefusesWhatIsNoCount) {
  for (const char* count : {"0", "-3", "1048577", "many", "3.5", "4 ranks", "99999999999999999999"}) {
    const Outcome outcome = start({{GetParam(), count}}, {"memory"});
    EXPECT_EQ(outcome.code, 1) << count;
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.errors, std::string("*** FATAL ERROR: in environment(): ") + GetParam() + "='" + count +
                                  "' is not a whole number from 1 to 1048576\n");
  }
}

INSTANTIATE_TEST_SUITE_P(All, CountVariable, testing::Values("AQUEDUCT_RANKS", "GASNET_PSHM_NODES"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DirectStart, OwnVariableComesFirst) {
  EXPECT_EQ(lines_of(start({{"AQUEDUCT_RANKS", "2"}, {"GASNET_PSHM_NODES", "3"}}, {"place"}).output).size(),
            2u);
}

TEST(DirectStart, LauncherComesBeforeTheCount) {
  Command command = rank_job(2, {"place"});
  command.environment = {{"AQUEDUCT_RANKS", "3"}};
  EXPECT_EQ(lines_of(run(command).output).size(), 2u);
}

TEST(DirectStart, WhatWasPrintedBeforeIsPrintedOnce) {
  EXPECT_EQ(start({{"AQUEDUCT_RANKS", "4"}}, {"print-before-join"}).output, "once");
}

TEST(DirectStart, TagAndBindingComeFromTheEnvironment) {
  const Outcome outcome =
      start({{"AQUEDUCT_RANKS", "2"}, {"AQUEDUCT_TAG", "yes"}, {"AQUEDUCT_BIND", "none"}}, {"memory"});
  EXPECT_NE(outcome.output.find("[1] sum 3\n"), std::string::npos) << outcome.output;
  const Outcome refused = start({{"AQUEDUCT_RANKS", "2"}, {"AQUEDUCT_BIND", "tight"}}, {"memory"});
  EXPECT_EQ(refused.code, 2);
}

TEST(DirectStart, EndsAsALaunchedJobDoes) {
  const std::map<std::string, std::string> three = {{"AQUEDUCT_RANKS", "3"}};
  Outcome outcome = start(three, {"exit", "1", "5"});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_EQ(outcome.errors, "aqueduct: rank 1 called gasnet_exit(5); the job ends with code 5\n");
  outcome = start(three, {"signal", "2", "9"});
  EXPECT_EQ(outcome.code, 137);
  EXPECT_EQ(outcome.errors, "aqueduct: rank 2 was killed by signal 9 (Killed); the job ends with code 137\n");
  outcome = start(three, {"fatal", "0"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors, "*** FATAL ERROR (proc 0): in gex_Test() at client.c:42: something is wrong\n");
  outcome = start(three, {"return", "0", "8"});
  EXPECT_EQ(outcome.code, 8);
}

TEST(DirectStart, FatalErrorWithoutASupervisorIsTheSameLine) {
  const Outcome outcome = start({}, {"fatal", "0"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors, "*** FATAL ERROR (proc 0): in gex_Test() at client.c:42: something is wrong\n");
}

/// How often each kind of descriptor that matters to us is open in a process that has listed its own.
std::map<std::string, int> count_descriptors(const std::string& listing) {
  std::map<std::string, int> counts;
  for (const char* kind : {"pipe:", "/dev/null", "/memfd:aqueduct", "socket:", "anon_inode:"}) {
    for (std::size_t at = 0; (at = listing.find(kind, at)) != std::string::npos; ++at) ++counts[kind];
  }
  return counts;
}

TEST(DirectStart, RanksHaveNoDescriptorsButTheirOwn) {
  // Whatever the tests themselves inherited is open in every process; so compare with one that has no
  // supervisor.
  const std::map<std::string, int> alone = count_descriptors(start({}, {"descriptors"}).output);
  const std::map<std::string, std::string> three = {{"AQUEDUCT_RANKS", "3"}, {"AQUEDUCT_TAG", "1"}};
  for (const Outcome& outcome :
       {run(rank_job(3, {"descriptors"}, {"--tag"})), start(three, {"descriptors"})}) {
    ASSERT_EQ(lines_of(outcome.output).size(), 3u);
    for (const std::string& line : lines_of(outcome.output)) {
      std::map<std::string, int> expected = alone;
      ++expected["socket:"];
      if (line.rfind("[0]", 0) != 0) {
        --expected["pipe:"];
        ++expected["/dev/null"];
      }
      EXPECT_EQ(count_descriptors(line), expected) << line;
    }
  }
}

TEST(Membership, PlaceIsNotInheritedByProgramsThatARankStarts) {
  const Outcome outcome =
      run(rank_job(2, {"shell", "env | grep -c 'AQUEDUCT_\\(RANK\\|SIZE\\|MEMORY_FD\\|CONTROL_FD\\)='"}));
  EXPECT_EQ(outcome.output, "0\n0\n");
}

TEST(Membership, ProgramThatARankStartsCanBeAJobOfItsOwn) {
  const Outcome outcome =
      run(rank_job(2, {"shell", std::string("AQUEDUCT_RANKS=3 ") + RANK_PROGRAM + " memory"}));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(lines_of(outcome.output), std::vector<std::string>(6, "sum 6"));
}

TEST(Membership, SecondProgramOfARankIsRefused) {
  const std::string program = RANK_PROGRAM;
  const Outcome outcome = run(job(1, {"sh", "-c", program + " memory && " + program + " memory"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "sum 1\n");
  EXPECT_EQ(
      outcome.errors,
      "*** FATAL ERROR (proc 0): in join(): another program has been this rank before; start each one with "
      "an `aqueduct run` of its own\n");
}

TEST(Membership, DescriptorsThatWereClosedAreMissed) {
  const Outcome outcome =
      run(job(1, {"bash", "-c", std::string("exec ") + RANK_PROGRAM + " place 64>&- 65>&-"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.errors.find("has closed it"), std::string::npos) << outcome.errors;
}

TEST(Membership, RankKnowsTheCoresOfTheJobAndNotOnlyItsOwn) {
  const auto cores = std::to_string(std::thread::hardware_concurrency());
  const Outcome outcome = run(rank_job(2, {"place"}, {"--bind", "compact"}));
  ASSERT_EQ(lines_of(outcome.output).size(), 2u) << outcome.output << outcome.errors;
  for (const std::string& line : lines_of(outcome.output)) {
    EXPECT_NE(line.find(" cores " + cores + " "), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace job_test
