// Whatever dies, on whichever host: the job ends everywhere, one line says who, where and why, and nothing is
// left behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>

#include "hosts_job.hpp"

namespace launch_test {
namespace {

using job_test::all_gone;
using job_test::lines_of;
using job_test::run;
using job_test::unique_mark;

/// Four ranks on two hosts that say who they are and sleep, each with a child that outlives it.
class RunningJob {
 public:
  explicit RunningJob(const std::string& heartbeat = "") : process_(command(heartbeat)) {
    EXPECT_TRUE(process_.wait_for("ready", 4));
  }
  ~RunningJob() { EXPECT_TRUE(all_gone(mark_)); }

  Process& process() { return process_; }
  /// After the job has written that they are ready.
  pid_t agent_of(const std::string& host) { return find("agent-of-login-of-" + host); }
  pid_t rank(int number) { return find("rank-" + std::to_string(number)); }

 private:
  Command command(const std::string& heartbeat) {
    Command job = shell_on_hosts("a,b", 4,
                                 "(trap '' TERM INT HUP; sleep " + mark_ +
                                     ") & echo agent-of-$USER $PPID rank-$AQUEDUCT_RANK $$ ready; sleep " +
                                     mark_ + "; true");
    if (!heartbeat.empty()) job.environment = {{"AQUEDUCT_HEARTBEAT", heartbeat}};
    return job;
  }
  pid_t find(const std::string& label) {
    const pid_t found = number_after(process_.output(), label);
    EXPECT_GT(found, 1) << label;
    return found;
  }

  std::string mark_ = unique_mark();
  Process process_;
};

/// To one process, never to all of them: a job that did not start has no process to name.
void signal_to(pid_t process, int signal) {
  if (process > 1) kill(process, signal);
}

TEST(HostsFailure, ARankThatIsKilledEndsTheJobEverywhere) {
  for (const auto& [rank, host] : {std::pair(0, "a"), std::pair(1, "a"), std::pair(3, "b")}) {
    RunningJob job;
    signal_to(job.rank(rank), SIGKILL);
    const Outcome outcome = job.process().finish();
    EXPECT_EQ(outcome.code, 137);
    EXPECT_EQ(outcome.errors, "aqueduct: rank " + std::to_string(rank) + " on host " + host +
                                  " was killed by signal 9 (Killed); the job ends with code 137\n");
  }
}

TEST(HostsFailure, AnAgentThatIsKilledTakesItsRanksAlongAndEndsTheJob) {
  for (const std::string host : {"a", "b"}) {
    RunningJob job;
    signal_to(job.agent_of(host), SIGKILL);
    const Outcome outcome = job.process().finish();
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.errors,
              "aqueduct: the agent on host " + host + " is gone with its ranks; the job ends with code 1\n");
  }
}

/// The others wait for a file: they must not end before the loss was noticed.
TEST(HostsFailure, AHostThatIsLostIsOneLineWhereTheOthersGoOn) {
  const std::filesystem::path go = std::filesystem::path(testing::TempDir()) / ("go." + unique_mark());
  Command command = shell_on_hosts(
      "a,b", 4,
      "echo agent-of-$USER $PPID ready; until [ -e " + go.string() + " ]; do sleep 0.05; done; echo goes on");
  command.environment = {{"AQUEDUCT_ON_FAILURE", "report"}};
  Process process(command);
  ASSERT_TRUE(process.wait_for("ready", 4));
  signal_to(number_after(process.output(), "agent-of-login-of-b"), SIGKILL);
  EXPECT_TRUE(process.wait_for_error("host b"));
  std::ofstream(go).put(' ');
  const Outcome outcome = process.finish();
  std::filesystem::remove(go);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.errors,
            "aqueduct: the agent on host b is gone with its ranks; the others go on "
            "(AQUEDUCT_ON_FAILURE=report)\n");
  const std::vector<std::string> lines = lines_of(outcome.output);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "goes on"), 2) << outcome.output;
  EXPECT_TRUE(all_gone(go.string()));
}

TEST(HostsFailure, AnAgentThatIsAskedToEndEndsTheJob) {
  RunningJob job;
  signal_to(job.agent_of("b"), SIGTERM);
  const Outcome outcome = job.process().finish();
  EXPECT_EQ(outcome.code, 128 + SIGTERM);
  EXPECT_EQ(outcome.errors,
            "aqueduct: the agent on host b received signal 15 (Terminated); the job ends with code 143\n");
}

TEST(HostsFailure, ALauncherThatIsKilledTakesAllHostsAlong) {
  RunningJob job;
  job.process().signal(SIGKILL);
  job.process().finish();
}

/// The supervisor is the launcher's child.
TEST(HostsFailure, ASupervisorThatIsKilledTakesAllHostsAlong) {
  RunningJob job;
  const std::vector<pid_t> children = job_test::children_of(job.process().pid());
  ASSERT_EQ(children.size(), 1u);
  kill(children[0], SIGKILL);
  EXPECT_EQ(job.process().finish().code, 137);
}

TEST(HostsFailure, ARankThatIsStoppedIsNamedWithAllThatIsKnownOfIt) {
  Command job = on_hosts("a,b", {"-n", "2", "--conduit", "udp"}, {FAULTS_PROGRAM, "requests"});
  job.environment = {{"AQUEDUCT_UDP_TIMEOUT", "1"}};
  const Outcome outcome = run(job);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(std::regex_match(
      outcome.errors,
      std::regex("\\*\\*\\* FATAL ERROR \\(proc 0 on host a\\): in udp\\(\\): rank 1 on host b "
                 "\\([0-9.:]+:[0-9]+\\) has not answered for [0-9.]+ s "
                 "\\(AQUEDUCT_UDP_TIMEOUT\\); its process is stopped\n")))
      << outcome.errors;
}

TEST(HostsFailure, AHostThatFallsSilentIsLost) {
  RunningJob job("1");
  const pid_t agent = job.agent_of("b");
  signal_to(agent, SIGSTOP);
  const Outcome outcome = job.process().finish();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(
      outcome.errors,
      "aqueduct: the agent on host b has been silent for 1 s (AQUEDUCT_HEARTBEAT): its host is down or out "
      "of reach; the job ends with code 1\n");
  kill(agent, SIGCONT);  // it finds the connection closed
}

TEST(HostsFailure, ASecondInterruptDoesNotWait) {
  RunningJob job;
  job.process().signal(SIGINT);
  const Outcome outcome = job.process().finish();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
}

struct BadStart {
  const char* name;
  const char* hosts;
  std::vector<const char*> says;
};
void PrintTo(const BadStart& start, std::ostream* out) { *out << start.name; }

class HostsBadStart : public testing::TestWithParam<BadStart> {};

TEST_P(HostsBadStart, IsOneLine) {
  const std::string mark = unique_mark();
  Command command = shell_on_hosts(GetParam().hosts, 2, "echo started; sleep " + mark);
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
  for (const char* part : GetParam().says)
    EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
  EXPECT_TRUE(all_gone(mark));
}

INSTANTIATE_TEST_SUITE_P(
    All, HostsBadStart,
    testing::Values(
        BadStart{"Refused",
                 "a,refused",
                 {"cannot start on host refused: ", "port 22: Connection refused", "try: "}},
        BadStart{"Unknown", "unknown,a", {"cannot start on host unknown: ", "Could not resolve hostname"}},
        BadStart{"Missing", "a,missing", {"cannot start on host missing: ", "/no/such/place/aqueduct"}},
        BadStart{"Garbled", "a,garbled", {"the agent on host garbled sends what cannot be understood"}},
        BadStart{"Older", "a,older", {"host older has Aqueduct 0.0.1, and this is ", "install the same"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(HostsBadStart, ASignalEndsAJobWhoseHostsDoNotAnswer) {
  Process process(shell_on_hosts("a,silent", 2, "echo started"));
  while (job_test::children_of(process.pid()).empty()) usleep(1000);
  process.signal(SIGTERM);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 143);
  EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
}

TEST(HostsBadStart, AProgramThatIsNotThereHasTheShellsCode) {
  const Outcome outcome = run(on_hosts("a,b", {"-n", "2"}, {"/no/such/program"}));
  EXPECT_EQ(outcome.code, 127);
  EXPECT_EQ(outcome.errors.find("aqueduct: host "), 0u) << outcome.errors;
  EXPECT_NE(outcome.errors.find("cannot start '/no/such/program': No such file or directory"),
            std::string::npos);
  EXPECT_EQ(lines_of(outcome.errors).size(), 1u);
}

TEST(HostsBadStart, ARemoteShellThatIsNotThereIsNamed) {
  Command command = shell_on_hosts("a,b", 2, "true");
  command.arguments[5] = "/no/such/shell";
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.errors.find("/no/such/shell: No such file or directory"), std::string::npos)
      << outcome.errors;
}

struct BadArgument {
  std::vector<std::string> options;
  const char* says;
};

TEST(HostsBadStart, ArgumentsThatCannotBeAreRefusedBeforeAnythingStarts) {
  for (const BadArgument& wrong : {
           BadArgument{{"-n", "4", "--hosts", "a:2,b:1"}, "4 ranks do not fit in the 3 slots of the hosts"},
           BadArgument{{"--hosts", "a,b"}, "the number of ranks is missing: -n N, or slots for the hosts"},
           BadArgument{{"-n", "2", "--hosts", "a:2,a:3"}, "host a is listed twice, with 2 slots"},
           BadArgument{{"-n", "2", "--hosts", "a,,b"}, "'' is no name of a host"},
           BadArgument{{"-n", "2", "--hosts", "-oProxyCommand=x"}, "is no name of a host"},
           BadArgument{{"-n", "2", "--hosts", "a:many"}, "'many' is no number of slots"},
           BadArgument{{"-n", "2", "--hosts", "a", "--hostfile", "f"}, "give one of them"},
           BadArgument{{"-n", "2", "--hostfile", "/no/such/file"},
                       "/no/such/file: No such file or directory"},
           BadArgument{{"-n", "2", "--hosts", "a,b", "--layout", "1+1"}, "makes hosts of one machine"},
           BadArgument{{"-n", "2", "--hosts", "a,b", "--rsh", "ssh '"}, "it must be a command"},
           BadArgument{{"-n", "2", "--hosts", "a,b", "--env", "NOT_SET_ANYWHERE"},
                       "NOT_SET_ANYWHERE is not set here"},
           BadArgument{{"-n", "2", "--hosts", "a,b", "--env", "=x"}, "a variable has a name"},
       }) {
    Command command;
    command.arguments = {AQUEDUCT_TOOL, "run"};
    command.arguments.insert(command.arguments.end(), wrong.options.begin(), wrong.options.end());
    command.arguments.insert(command.arguments.end(), {"echo", "started"});
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 2) << wrong.says;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.errors.find(wrong.says), std::string::npos) << outcome.errors;
  }
}

}  // namespace
}  // namespace launch_test
