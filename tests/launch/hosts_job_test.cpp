// A job on several hosts starts, speaks, reads and ends as one on one host does.
#include "hosts_job.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace launch_test {

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines = job_test::lines_of(text);
  std::sort(lines.begin(), lines.end());
  return lines;
}

namespace {

using Lines = std::vector<std::string>;
using job_test::lines_of;
using job_test::run;

TEST(HostsJob, RanksAreDividedInBlocks) {
  const Outcome outcome = run(shell_on_hosts("a,b", 5, "echo $USER $AQUEDUCT_RANK of $AQUEDUCT_SIZE"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(sorted_lines(outcome.output),
            (Lines{"login-of-a 0 of 5", "login-of-a 1 of 5", "login-of-a 2 of 5", "login-of-b 3 of 5",
                   "login-of-b 4 of 5"}));
}

TEST(HostsJob, SlotsAreFilledInTheirOrderAndSayHowManyRanksThereAre) {
  const Outcome outcome = run(on_hosts("a:1,b:2", {}, {"sh", "-c", "echo $USER $AQUEDUCT_RANK"}));
  EXPECT_EQ(sorted_lines(outcome.output), (Lines{"login-of-a 0", "login-of-b 1", "login-of-b 2"}));
}

TEST(HostsJob, LeadersOfHostsMeet) {
  const Outcome outcome = run(on_hosts("a,b", {"-n", "4"}, {HOSTS_PROGRAM, "meet"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(sorted_lines(outcome.output),
            (Lines{"rank 0 sum 6 rendezvous 1 connections 1", "rank 1 sum 6 rendezvous 0 connections 0",
                   "rank 2 sum 6 rendezvous 0 connections 1", "rank 3 sum 6 rendezvous 0 connections 0"}));
}

TEST(HostsJob, ThisMachineIsAHostLikeOthersAndNeedsNoRemoteShell) {
  const Outcome outcome = run(on_hosts("a,localhost,b", {"-n", "3"}, {HOSTS_PROGRAM, "meet"}));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(lines_of(outcome.output).size(), 3u);
  Command alone = on_hosts("localhost", {"-n", "2"}, {"sh", "-c", "echo $AQUEDUCT_RANK"});
  alone.arguments[5] = "/no/such/shell";
  EXPECT_EQ(sorted_lines(run(alone).output), (Lines{"0", "1"}));
}

TEST(HostsJob, OneOtherHostNeedsNoRendezvous) {
  const Outcome outcome = run(on_hosts("a:2", {}, {HOSTS_PROGRAM, "meet"}));
  EXPECT_EQ(sorted_lines(outcome.output),
            (Lines{"rank 0 sum 1 rendezvous 0 connections 0", "rank 1 sum 1 rendezvous 0 connections 0"}));
}

TEST(HostsJob, ManyHostsStart) {
  std::string hosts = "h0";
  for (int i = 1; i < 40; ++i) hosts += ",h" + std::to_string(i);
  const Outcome outcome = run(shell_on_hosts(hosts, 40, "echo $USER"));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(lines_of(outcome.output).size(), 40u);
}

TEST(HostsJob, WhatLoginScriptsPrintIsNotTakenForTheAgent) {
  const Outcome outcome = run(shell_on_hosts("noisy1,noisy2", 2, "echo $AQUEDUCT_RANK"));
  EXPECT_EQ(sorted_lines(outcome.output), (Lines{"0", "1"}));
  EXPECT_EQ(outcome.errors, "");
}

TEST(HostsJob, LinesStayWholeAndCarryTheirRank) {
  const Outcome outcome = run(shell_on_hosts(
      "a,b", 4, "for i in $(seq 200); do printf 'one '; echo line; done; echo error >&2; printf end",
      {"--tag"}));
  Lines out = sorted_lines(outcome.output);
  EXPECT_EQ(out.size(), 4u * 201);
  for (const std::string& line : out)
    EXPECT_TRUE(line.substr(3) == " one line" || line.substr(3) == " end") << line;
  EXPECT_EQ(sorted_lines(outcome.errors), (Lines{"[0] error", "[1] error", "[2] error", "[3] error"}));
}

TEST(HostsJob, ALotOfOutputArrives) {
  const Outcome outcome =
      run(shell_on_hosts("a,b", 2, "head -c 3000000 /dev/zero | tr '\\0' x | fold -w 999; echo"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), 'x'), 6000000);
}

TEST(HostsJob, StandardInputGoesToRankZero) {
  Command command = shell_on_hosts("a,b", 2, "echo $AQUEDUCT_RANK: $(cat)");
  command.input = "some\nwords";
  EXPECT_EQ(sorted_lines(run(command).output), (Lines{"0: some words", "1:"}));
}

TEST(HostsJob, AFileAsStandardInputArrivesWhole) {
  const std::string script = std::string("exec ") + AQUEDUCT_TOOL +
                             " run -n 2 --hosts a,b --rsh " FAKE_RSH " sh -c 'wc -c' < " AQUEDUCT_TOOL;
  const Outcome outcome = run({{"sh", "-c", script}});
  EXPECT_EQ(sorted_lines(outcome.output),
            (Lines{"0", std::to_string(std::filesystem::file_size(AQUEDUCT_TOOL))}));
}

TEST(HostsJob, ARankThatReadsNothingEndsInSpiteOfInput) {
  const std::string script = std::string("yes | exec ") + AQUEDUCT_TOOL +
                             " run -n 2 --hosts a,b --rsh " FAKE_RSH " sh -c 'exec <&-; echo done'";
  const Outcome outcome = run({{"sh", "-c", script}});
  EXPECT_EQ(outcome.output, "done\ndone\n");
}

TEST(HostsJob, TheWorkingDirectoryIsKept) {
  char directory[] = "/tmp/aqueduct-launch-XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  Command command = {{"sh", "-c",
                      std::string("cd ") + directory + " && exec " + AQUEDUCT_TOOL +
                          " run -n 2 --hosts a,b --rsh " FAKE_RSH " pwd"}};
  EXPECT_EQ(run(command).output, std::string(directory) + "\n" + directory + "\n");
  std::filesystem::remove(directory);
}

TEST(HostsJob, TheEnvironmentIsForwardedExceptForWhatBelongsToTheLogin) {
  Command command = shell_on_hosts("a", 1, "echo $FIRST, $SECOND, $USER, $SHLVL, $MAIL",
                                   {"--env", "SECOND=b c", "--env", "SHLVL"});
  command.environment = {{"FIRST", "a"}, {"SHLVL", "77"}, {"MAIL", "at home"}};
  EXPECT_EQ(run(command).output, "a, b c, login-of-a, 77,\n");
}

TEST(HostsJob, VariablesMayBeAddedOnOneHostToo) {
  EXPECT_EQ(run(job_test::job(1, {"sh", "-c", "echo $ADDED"}, {"--env", "ADDED=here"})).output, "here\n");
}

TEST(HostsJob, TheExitCodeIsThatOfTheFirstRankThatFails) {
  const Outcome outcome =
      run(shell_on_hosts("a,b", 2, "if [ $AQUEDUCT_RANK = 1 ]; then exit 7; fi; sleep 600"));
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.errors, "aqueduct: rank 1 on host b ended with code 7; the job ends with code 7\n");
}

TEST(HostsJob, AFatalErrorSaysOnWhichHost) {
  const Outcome outcome = run(on_hosts("a,b", {"-n", "2"}, {RANK_PROGRAM, "fatal", "1"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors.rfind("*** FATAL ERROR (proc 1 on host b): ", 0), 0u) << outcome.errors;
  EXPECT_EQ(lines_of(outcome.errors).size(), 1u);
}

TEST(HostsJob, TheTimeLimitHoldsEverywhere) {
  const std::string mark = job_test::unique_mark();
  const Outcome outcome = run(shell_on_hosts("a,b", 2, "sleep " + mark, {"--timeout", "0.5"}));
  EXPECT_EQ(outcome.code, 124);
  EXPECT_TRUE(job_test::all_gone(mark));
}

TEST(HostsJob, OutputThatNobodyReadsEndsTheJobQuietly) {
  const std::string script =
      std::string(AQUEDUCT_TOOL) + " run -n 2 --hosts a,b --rsh " FAKE_RSH " yes | head -n 1";
  const Outcome outcome = run({{"sh", "-c", script}});
  EXPECT_EQ(outcome.output, "y\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(HostsJob, ShowSaysWhichRanksGoWhereAndStartsNothing) {
  const Outcome outcome = run(
      on_hosts("first,b:3,localhost", {"-n", "4", "--show", "--agent-path", "/opt/aq"}, {"echo", "started"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(lines_of(outcome.output), (Lines{"first  rank 0  (" FAKE_RSH " first 'exec /opt/aq agent')",
                                             "b      ranks 1-3  (" FAKE_RSH " b 'exec /opt/aq agent')"}));
  EXPECT_EQ(run(job_test::job(3, {}, {"--show"})).output, "localhost  ranks 0-2  (this machine)\n");
  EXPECT_EQ(run(job_test::job(3, {}, {"--show", "--layout", "0,2/1"})).output,
            "host 0  ranks 0,2  (this machine)\nhost 1  rank 1  (this machine)\n");
}

class HostsSignals : public testing::TestWithParam<int> {};

TEST_P(HostsSignals, ReachRanksOnAllHosts) {
  const std::string mark = job_test::unique_mark();
  Process process(shell_on_hosts(
      "a,b", 4, "trap 'echo caught' INT TERM HUP USR1 USR2; echo ready; sleep " + mark + " & wait; wait"));
  ASSERT_TRUE(process.wait_for("ready", 4));
  process.signal(GetParam());
  EXPECT_TRUE(process.wait_for("caught", 4));
  const bool asks_to_end = GetParam() != SIGUSR1 && GetParam() != SIGUSR2;
  if (!asks_to_end) process.signal(SIGTERM);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 128 + (asks_to_end ? GetParam() : SIGTERM));
  EXPECT_LT(outcome.took, job_test::kSoon);
  EXPECT_TRUE(job_test::all_gone(mark));
}

INSTANTIATE_TEST_SUITE_P(All, HostsSignals, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2));

char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t at = text.rfind(')');
  return at == std::string::npos ? '?' : text[at + 2];
}

/// A launcher that is stopped for longer than the heartbeat is not taken for dead.
TEST(HostsJob, AJobThatIsStoppedGoesOn) {
  Command command = shell_on_hosts("a,b", 2, "echo rank-$AQUEDUCT_RANK $$ ready; sleep 3; echo done");
  command.environment = {{"AQUEDUCT_HEARTBEAT", "1"}};
  Process process(command);
  ASSERT_TRUE(process.wait_for("ready", 2));
  const pid_t rank = number_after(process.output(), "rank-1");
  process.signal(SIGTSTP);
  for (const pid_t each : {process.pid(), rank}) {
    while (state_of(each) != 'T') usleep(1000);
  }
  usleep(2'500'000);  // more than twice the heartbeat
  EXPECT_EQ(state_of(rank), 'T');
  process.signal(SIGCONT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

TEST(HostsJob, CtrlCReachesRanksOnAllHosts) {
  const std::string mark = job_test::unique_mark();
  Command command =
      shell_on_hosts("a,b", 2, "trap 'echo caught; exit 3' INT; echo ready; sleep " + mark + " & wait");
  command.on_terminal = true;
  Process process(command);
  ASSERT_TRUE(process.wait_for("ready", 2));
  process.write("\x03");
  EXPECT_TRUE(process.wait_for("caught", 2));
  EXPECT_EQ(process.finish().code, 128 + SIGINT);
  EXPECT_TRUE(job_test::all_gone(mark));
}

}  // namespace
}  // namespace launch_test
