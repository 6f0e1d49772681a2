// Ranks of a host have the same addresses where that is asked for, in each way in which a job is started.
#include <gtest/gtest.h>
#include <sys/personality.h>

#include <fstream>
#include <set>

#include "hosts_job.hpp"

namespace launch_test {
namespace {

/// The different lines that ranks of the test's program say about their addresses.
std::set<std::string> addresses(const Outcome& outcome, std::size_t ranks) {
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const std::vector<std::string> lines = job_test::lines_of(outcome.output);
  EXPECT_EQ(lines.size(), ranks) << outcome.output;
  return {lines.begin(), lines.end()};
}

Command start_here(std::vector<std::string> options, std::map<std::string, std::string> environment = {}) {
  Command command;
  command.arguments = {AQUEDUCT_TOOL, "run", "-n", "3"};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.arguments.insert(command.arguments.end(), {RANK_PROGRAM, "addresses"});
  command.environment = std::move(environment);
  return command;
}

/// Whether programs get random addresses here; sanitizers and debuggers may have switched that off.
bool has_random_addresses() {
  int level = 0;
  std::ifstream("/proc/sys/kernel/randomize_va_space") >> level;
  return level != 0 && (personality(0xffffffff) & ADDR_NO_RANDOMIZE) == 0;
}

bool may_be_the_same() {
  const int now = personality(0xffffffff);
  const bool may = personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) >= 0;
  personality(static_cast<unsigned long>(now));
  return may;
}

TEST(SameAddresses, AreGivenToRanksThatTheLauncherStarts) {
  if (!may_be_the_same()) GTEST_SKIP() << "not permitted here";
  const Outcome outcome = job_test::run(start_here({"--same-addresses"}));
  EXPECT_EQ(addresses(outcome, 3).size(), 1u) << outcome.output;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(addresses(job_test::run(start_here({}, {{"AQUEDUCT_SAME_ADDRESSES", "1"}})), 3).size(), 1u);
}

TEST(SameAddresses, AreNotGivenUnasked) {
  if (!has_random_addresses()) GTEST_SKIP() << "addresses are not random here";
  EXPECT_EQ(addresses(job_test::run(start_here({})), 3).size(), 3u);
  const Command typed = start_here({"--no-same-addresses"}, {{"AQUEDUCT_SAME_ADDRESSES", "1"}});
  EXPECT_EQ(addresses(job_test::run(typed), 3).size(), 3u);
}

TEST(SameAddresses, AreGivenByAgentsOfSeveralHosts) {
  if (!may_be_the_same()) GTEST_SKIP() << "not permitted here";
  const Command command = on_hosts("a,b", {"-n", "4", "--same-addresses"}, {RANK_PROGRAM, "addresses"});
  EXPECT_EQ(addresses(job_test::run(command), 4).size(), 1u);
}

TEST(SameAddresses, AreThoseOfForks) {
  Command command;
  command.arguments = {RANK_PROGRAM, "addresses"};
  command.environment = {{"AQUEDUCT_RANKS", "3"}};
  EXPECT_EQ(addresses(job_test::run(command), 3).size(), 1u);
}

TEST(SameAddresses, ThatTheSystemRefusesAreMentionedOnceAndTheJobRuns) {
  if (!has_random_addresses()) GTEST_SKIP() << "addresses are not random here";
  Command command = start_here({"--same-addresses"});
  command.arguments.insert(command.arguments.begin(), {RANK_PROGRAM, "without-personality"});
  Outcome outcome = job_test::run(command);
  if (outcome.code == 77) GTEST_SKIP() << "no filters of system calls here";
  EXPECT_EQ(addresses(outcome, 3).size(), 3u);
  EXPECT_EQ(job_test::lines_of(outcome.errors).size(), 1u) << outcome.errors;
  EXPECT_EQ(outcome.errors.rfind("aqueduct: ranks have different addresses (--same-addresses): ", 0), 0u);

  command = on_hosts("a,b", {"-n", "2", "--same-addresses"}, {RANK_PROGRAM, "addresses"});
  command.arguments.insert(command.arguments.begin(), {RANK_PROGRAM, "without-personality"});
  outcome = job_test::run(command);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(job_test::lines_of(outcome.errors).size(), 2u) << outcome.errors;  // one of each host
  EXPECT_EQ(outcome.errors.rfind("aqueduct: ranks of host ", 0), 0u) << outcome.errors;
}

}  // namespace
}  // namespace launch_test
