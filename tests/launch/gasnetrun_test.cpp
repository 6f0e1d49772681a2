// The launchers under GASNet's names: what people type there, and the variables that they set, become
// arguments of `aqueduct run`. A stand-in for that prints them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hosts_job.hpp"

namespace launch_test {
namespace {

using Environment = std::map<std::string, std::string>;

/// What would be run, or the line of a refusal.
std::string launched(const char* launcher, std::vector<std::string> arguments, Environment environment = {}) {
  Command command;
  command.arguments = {std::string(GASNET_LAUNCHERS) + "/" + launcher};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  // What this process may have.
  for (const char* name : {"AMUDP_SSH_SERVERS", "SSH_SERVERS", "SPAWNFN", "AMUDP_SPAWNFN", "SSH_CMD",
                           "SSH_OPTIONS", "CSPAWN_CMD"})
    unsetenv(name);
  for (const char* name : {"GASNET_SPAWNFN", "GASNET_SPAWNER", "GASNET_UDP_SPAWNER", "GASNET_SSH_SERVERS",
                           "GASNET_SSH_NODEFILE", "GASNET_NODEFILE", "GASNET_SSH_CMD", "GASNET_SSH_OPTIONS",
                           "GASNET_CSPAWN_CMD", "PBS_NODEFILE", "LSB_HOSTS", "GASNET_PSHM_NODES"})
    unsetenv(name);
  for (const auto& [name, value] : environment) command.environment[name] = value;
  const Outcome outcome = job_test::run(command);
  if (outcome.code == 0) return outcome.errors + outcome.output;
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(job_test::lines_of(outcome.errors).size(), 1u) << outcome.errors;
  return outcome.errors;
}

/// A file of hosts that goes with the test.
class HostFile {
 public:
  explicit HostFile(const std::string& text) {
    const int fd = mkstemp(path_);
    if (fd >= 0) close(fd);
    std::ofstream(path_) << text;
  }
  ~HostFile() { std::filesystem::remove(path_); }
  const char* path() const { return path_; }

 private:
  char path_[40] = "/tmp/aqueduct-hosts-XXXXXX";
};

TEST(GasnetLaunchers, StartOnThisHostWithoutAList) {
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "2", "./a", "b c", "it's"}),
            "<run><-n><2><--conduit><udp><./a><b c><it's>\n");
  EXPECT_EQ(launched("amudprun", {"-np", "2", "--", "./a", "-n"}), "<run><-n><2><--conduit><udp><./a><-n>\n");
  EXPECT_EQ(launched("amudprun", {"-3", "./a"}), "<run><-n><3><--conduit><udp><./a>\n");
  EXPECT_EQ(
      launched("amudprun", {"-np", "2", "./a"}, {{"GASNET_SPAWNFN", "L"}, {"GASNET_SSH_SERVERS", "a b"}}),
      "<run><-n><2><--conduit><udp><./a>\n");
}

TEST(GasnetLaunchers, StartOnTheHostsOfAList) {
  const std::string all = "<run><-n><4><--conduit><udp><--hosts><a,b,c><--oversubscribe><./a>\n";
  EXPECT_EQ(
      launched("amudprun", {"-np", "4", "./a"}, {{"GASNET_SPAWNFN", "S"}, {"GASNET_SSH_SERVERS", "a b, c"}}),
      all);
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "4", "./a"}, {{"GASNET_SSH_SERVERS", "a,b,c"}}), all);
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "4", "-spawner=ssh", "./a"}, {{"LSB_HOSTS", "a b c"}}), all);
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "4", "-N", "2", "./a"}, {{"GASNET_SSH_SERVERS", "a a b c"}}),
            "<run><-n><4><--conduit><udp><--hosts><a,a,b><--oversubscribe><./a>\n");
}

TEST(GasnetLaunchers, WarnOfMoreHostsThanThereAreAndGoOn) {
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "2", "-N", "3", "./a"}, {{"GASNET_SSH_SERVERS", "a b"}}),
            "gasnetrun_udp: -N 3: only 2 hosts are listed, and the ranks run on these\n"
            "<run><-n><2><--conduit><udp><--hosts><a,b><--oversubscribe><./a>\n");
  EXPECT_EQ(launched("gasnetrun_udp", {"-n2", "-N2", "-c4", "./a"}),
            "gasnetrun_udp: -N 2: there is no list of hosts, and all ranks run on this one\n"
            "<run><-n><2><--conduit><udp><./a>\n");
}

TEST(GasnetLaunchers, ReadTheVariablesOfAmudpByAllTheirNames) {
  const std::string all = "<run><-n><4><--conduit><udp><--hosts><a,b><--oversubscribe><--rsh><rsh -4><./a>\n";
  EXPECT_EQ(
      launched("amudprun", {"-np", "4", "./a"},
               {{"SPAWNFN", "S"}, {"SSH_SERVERS", "a;b"}, {"SSH_CMD", "rsh"}, {"AMUDP_SSH_OPTIONS", "-4"}}),
      all);
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "4", "./a"},
                     {{"GASNET_SSH_SERVERS", "a b"},
                      {"AMUDP_SSH_SERVERS", "x"},
                      {"SSH_SERVERS", "y"},
                      {"AMUDP_SSH_CMD", "rsh"},
                      {"SSH_CMD", "no"},
                      {"GASNET_SSH_OPTIONS", "-4"}}),
            all);
  // There, -N counts ranks.
  EXPECT_EQ(launched("amudprun", {"-N", "2", "--depth", "8", "./a"}), "<run><-n><2><--conduit><udp><./a>\n");
}

TEST(GasnetLaunchers, ForkTheRanksOfSmpFromOneProcess) {
  EXPECT_EQ(launched("gasnetrun_smp", {"-n", "2", "-E", "A=b c", "sh", "-c",
                                       "echo \"$AQUEDUCT_RANKS $AQUEDUCT_CONDUIT $A $0\"", "it's"}),
            "2 smp b c it's\n");
  const std::vector<std::string> lines =
      job_test::lines_of(launched("gasnetrun_smp", {"-n", "3", RANK_PROGRAM, "addresses"}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].rfind("code 0x", 0), 0u) << lines[0];
  EXPECT_TRUE(lines[0] == lines[1] && lines[0] == lines[2]) << lines[0] << lines[1] << lines[2];
}

TEST(GasnetLaunchers, TakeTheListFromAFile) {
  const HostFile file("# ours\na slots=2\n\nb\n"), other("c\n");
  const std::string hosts = "<run><-n><3><--conduit><udp><--hosts><a:2,b><--oversubscribe><./a>\n";
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "3", "./a"}, {{"GASNET_NODEFILE", file.path()}}), hosts);
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "3", "./a"},
                     {{"GASNET_SSH_NODEFILE", file.path()},
                      {"GASNET_SSH_SERVERS", "x"},
                      {"GASNET_NODEFILE", other.path()}}),
            hosts);
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "3", "./a"},
                     {{"GASNET_SPAWNFN", "S"}, {"GASNET_NODEFILE", "/no/such/file"}}),
            "gasnetrun_udp: the list of hosts /no/such/file cannot be read\n");
}

TEST(GasnetLaunchers, UseTheRemoteShellThatIsNamed) {
  EXPECT_EQ(
      launched("gasnetrun_udp", {"-n", "1", "./a"},
               {{"GASNET_SSH_SERVERS", "a"}, {"GASNET_SSH_CMD", "rsh"}, {"GASNET_SSH_OPTIONS", "-p 22"}}),
      "<run><-n><1><--conduit><udp><--hosts><a><--oversubscribe><--rsh><rsh -p 22><./a>\n");
}

TEST(GasnetLaunchers, HandVariablesOn) {
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "1", "-E", "PATH,NOT_SET_ANYWHERE,A=b c", "./a"}),
            "<run><-n><1><--conduit><udp><--env><PATH><--env><A=b c><./a>\n");
}

TEST(GasnetLaunchers, RunACustomCommand) {
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "3", "./a", "b c"},
                     {{"GASNET_SPAWNFN", "C"}, {"GASNET_CSPAWN_CMD", "printf '%%s|' srun -n %N %C"}}),
            "srun|-n|3|env|AQUEDUCT_CONDUIT=udp|./a|b c|");
}

TEST(GasnetLaunchers, RefuseWhatTheyCannotDo) {
  EXPECT_EQ(launched("amudprun", {"-np", "2", "./a"}, {{"GASNET_SPAWNFN", "S"}}),
            "gasnetrun_udp: no host is known: set GASNET_SSH_SERVERS='a b', or GASNET_NODEFILE to a file\n");
  EXPECT_EQ(launched("amudprun", {"-np", "2", "./a"}, {{"GASNET_SPAWNFN", "Z"}}),
            "gasnetrun_udp: spawner 'Z': ranks are started by fork, ssh or custom\n");
  EXPECT_EQ(launched("amudprun", {"-np", "2", "./a"}, {{"GASNET_SPAWNFN", "C"}}),
            "gasnetrun_udp: GASNET_CSPAWN_CMD is not set: the command that starts ranks, such as 'srun -n %N "
            "%C'\n");
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "2", "-spawner=mpi", "./a"}),
            "gasnetrun_udp: spawner 'mpi': start the program with mpirun or srun itself; gasnetrun_udp "
            "starts ranks by "
            "fork, ssh or custom\n");
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "2", "-N", "x", "./a"}),
            "gasnetrun_udp: -N x: it must be a number of hosts\n");
  EXPECT_EQ(launched("gasnetrun_udp", {"./a"}), "gasnetrun_udp: the number of ranks is missing: -n N\n");
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "2"}), "gasnetrun_udp: no program to run was given\n");
  EXPECT_EQ(launched("gasnetrun_udp", {"-n", "2", "-q", "./a"}),
            "gasnetrun_udp: unknown option -q; try -help\n");
  EXPECT_EQ(launched("gasnetrun_smp", {"-n", "2", "-spawner=ssh", "./a"}),
            "gasnetrun_smp: spawner 'ssh': smp ranks can only be started on this host (fork)\n");
  EXPECT_EQ(launched("gasnetrun_smp", {"-n", "2", "-N", "2", "./a"}),
            "gasnetrun_smp: -N 2: ranks that are started by fork are on this host\n");
}

}  // namespace
}  // namespace launch_test
