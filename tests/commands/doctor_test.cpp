// `aqueduct doctor`: what it makes of facts, and what it finds here.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "command.hpp"
#include "doctor/findings.hpp"
#include "job/supervision/descriptor_limit.hpp"

namespace aqueduct::test {
namespace {

using doctor::Facts;
using doctor::Finding;
using doctor::FindingLevel;

/// A host on which everything is as it should be.
Facts healthy() {
  Facts facts;
  facts.host = "a";
  facts.cores = facts.cores_online = 8;
  facts.memory_bytes = std::uint64_t{16} << 30;
  facts.has_debugger = facts.has_sodium = facts.has_remote_shell = true;
  facts.clock_source = "tsc";
  facts.own_addresses = {"192.0.2.1"};
  facts.interfaces = {{"eth0", "192.0.2.1", 1500, true}};
  return facts;
}

struct Case {
  const char* name;
  void (*spoil)(Facts&);
  FindingLevel level;
  const char* subject;
  const char* what;
  const char* fix;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

const Case kCases[] = {
    {"FewCores", [](Facts& f) { f.cores = 2; }, FindingLevel::kWarning, "cores", "4 ranks share 2 cores",
     "fewer ranks"},
    {"Quota", [](Facts& f) { f.core_quota = 4.5; }, FindingLevel::kWarning, "cores", "time of 4.5 of 8 cores",
     "cpu.max"},
    {"QuotaBelowRanks", [](Facts& f) { f.core_quota = 1.5; }, FindingLevel::kWarning, "cores",
     "share 1.5 cores", "cpu.max"},
    {"Bound", [](Facts& f) { f.cores = 4; }, FindingLevel::kNote, "cores", "4 of the machine's 8", "taskset"},
    {"MemoryLimit", [](Facts& f) { f.memory_limit = std::uint64_t{1} << 30; }, FindingLevel::kNote, "memory",
     "allows 1.0 GiB of 16.0 GiB", "GASNET_MAX_SEGSIZE=512M/H"},
    {"Overcommit", [](Facts& f) { f.overcommit = 2; }, FindingLevel::kWarning, "memory",
     "overcommit_memory is 2", "sysctl"},
    {"AddressSpace", [](Facts& f) { f.address_limit = std::uint64_t{4} << 30; }, FindingLevel::kProblem,
     "address space", "4.0 GiB", "ulimit -v unlimited"},
    {"Descriptors", [](Facts& f) { f.descriptor_limit = 70; }, FindingLevel::kProblem, "descriptors",
     "ranks needs 80", "ulimit -Hn 80"},
    {"Processes", [](Facts& f) { f.process_limit = 10; }, FindingLevel::kProblem, "processes",
     "ulimit -u is 10", "nproc"},
    {"SharedMemory",
     [](Facts& f) {
       f.mpi_launchers = {"MPICH"};
       f.shm_free_bytes = 64 << 20;
     },
     FindingLevel::kWarning, "/dev/shm", "64.0 MiB free", "--shm-size"},
    {"LockedMemory",
     [](Facts& f) {
       f.has_libfabric = true;
       f.locked_limit = 65536;
     },
     FindingLevel::kWarning, "locked memory", "ulimit -l is 64 KiB", "memlock"},
    {"NameUnknown", [](Facts& f) { f.own_addresses.clear(); }, FindingLevel::kWarning, "host name",
     "a does not resolve", "/etc/hosts"},
    {"NameIsLoopback",
     [](Facts& f) {
       f.own_addresses = {"127.0.1.1", "::1"};
     },
     FindingLevel::kNote, "host name", "127.0.1.1 only", "/etc/hosts"},
    {"NetworkDown", [](Facts& f) { f.interfaces[0].is_up = false; }, FindingLevel::kNote, "network",
     "no interface is up", "ip link"},
    {"NoSodium", [](Facts& f) { f.has_sodium = false; }, FindingLevel::kProblem, "udp",
     "libsodium.so.23 is missing", "libsodium23"},
    {"SlowSeals", [](Facts& f) { f.seal_advice = "apt-get install libipsec-mb1"; }, FindingLevel::kNote,
     "udp", "libIPSec_MB", "libipsec-mb1"},
    {"SmallBuffers", [](Facts& f) { f.receive_buffer_limit = 212992; }, FindingLevel::kNote, "udp",
     "rmem_max is 208 KiB", "sysctl"},
    {"DriverThatDoesNotStart",
     [](Facts& f) {
       f.has_device_nodes = true;
       f.device_troubles = {"the CUDA driver does not start: cuInit: no device"};
     },
     FindingLevel::kWarning, "devices", "the CUDA driver does not start", "driver"},
    {"DevicesThatAreNotMapped",
     [](Facts& f) {
       f.devices = {"CUDA 12.4, device 0: NVIDIA H200"};
       f.devices_are_mapped = false;
     },
     FindingLevel::kNote, "devices", "staged through the host's", "--ipc=host"},
    {"NoSsh", [](Facts& f) { f.has_remote_shell = false; }, FindingLevel::kNote, "ssh", "not installed",
     "openssh-client"},
    {"Ptrace", [](Facts& f) { f.ptrace_scope = 2; }, FindingLevel::kWarning, "debuggers", "ptrace_scope is 2",
     "ptrace_scope=1"},
    {"NoDebugger", [](Facts& f) { f.has_debugger = false; }, FindingLevel::kNote, "debuggers",
     "neither gdb nor lldb", "gdb"},
    {"NoCoreFiles", [](Facts& f) { f.core_file_limit = 0; }, FindingLevel::kNote, "core files",
     "none are written", "ulimit -c"},
    {"Clock", [](Facts& f) { f.clock_source = "hpet"; }, FindingLevel::kWarning, "clock", "clock is hpet",
     "clocksource=tsc"},
};

class DoctorJudges : public testing::TestWithParam<Case> {};

TEST_P(DoctorJudges, OneThingAndItsFix) {
  Facts facts = healthy();
  GetParam().spoil(facts);
  std::vector<Finding> bad;
  for (const Finding& each : doctor::judge_host(facts, 4)) {
    if (each.level != FindingLevel::kOk) bad.push_back(each);
  }
  ASSERT_EQ(bad.size(), 1U) << doctor::as_text(bad);
  EXPECT_EQ(bad[0].level, GetParam().level);
  EXPECT_EQ(bad[0].subject, GetParam().subject);
  EXPECT_NE(bad[0].what.find(GetParam().what), std::string::npos) << bad[0].what;
  EXPECT_NE(bad[0].fix.find(GetParam().fix), std::string::npos) << bad[0].fix;
  EXPECT_EQ(doctor::has_problem(bad), GetParam().level == FindingLevel::kProblem);
}
INSTANTIATE_TEST_SUITE_P(, DoctorJudges, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

TEST(Doctor, FindsNothingWhereNothingIs) {
  const std::vector<Finding> findings = doctor::judge_host(healthy(), 4);
  EXPECT_GE(findings.size(), 5u);
  for (const Finding& each : findings) EXPECT_EQ(each.level, FindingLevel::kOk) << each.what;
}

TEST(Doctor, StatesTheDescriptorsThatAreNeeded) {
  const auto findings = doctor::judge_host(healthy(), 100);
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const Finding& each) { return each.subject == "descriptors"; });
  ASSERT_NE(found, findings.end());
  EXPECT_NE(found->what.find("the launcher of 100 ranks needs 464: 4 each, and 64; "), std::string::npos)
      << found->what;
}

/// Descriptors of the process that supervises a job of so many ranks: the launcher's only child.
std::size_t descriptors_of_supervisor(const std::string& ranks) {
  const Process job({AQUEDUCT_TOOL, "run", "-n", ranks, "sleep", "300"});
  const std::string pid = std::to_string(job.pid());
  if (wait_for_job("ps", pid).empty()) return 0;
  std::string child;
  std::ifstream("/proc/" + pid + "/task/" + pid + "/children") >> child;
  // All ranks are there as soon as its children are.
  std::vector<std::string> children;
  for (int tries = 0; tries < 5000 && children.size() < std::stoul(ranks); ++tries) {
    children.clear();
    std::ifstream file("/proc/" + child + "/task/" + child + "/children");
    for (std::string each; file >> each;) children.push_back(each);
    usleep(20'000);
  }
  const std::filesystem::directory_iterator open("/proc/" + child + "/fd");
  return static_cast<std::size_t>(std::distance(begin(open), end(open)));
}

TEST(Doctor, CountsDescriptorsAsTheLauncherDoes) {
  const std::size_t of_two = descriptors_of_supervisor("2");
  const std::size_t of_seven = descriptors_of_supervisor("7");
  EXPECT_EQ(of_seven - of_two, 5 * job::kDescriptorsOfRank);
  EXPECT_GT(of_two, 2 * job::kDescriptorsOfRank);
  EXPECT_LE(of_two, job::descriptors_for(2));
}

TEST(Doctor, ComparesHosts) {
  Facts other = healthy();
  other.host = "b";
  EXPECT_EQ(doctor::judge_hosts({healthy(), other})[0].level, FindingLevel::kOk);
  other.interfaces[0].mtu = 9000;
  const Finding found = doctor::judge_hosts({healthy(), other})[0];
  EXPECT_EQ(found.level, FindingLevel::kWarning);
  EXPECT_NE(found.what.find("1500 eth0 of a, 9000 eth0 of b"), std::string::npos) << found.what;
}

TEST(Doctor, FactsTravelAsText) {
  Facts facts = healthy();
  facts.mpi_launchers = {"Open MPI"};
  facts.core_quota = 1.5;
  EXPECT_EQ(doctor::facts_from_json(doctor::facts_as_json(facts)), facts);
  EXPECT_FALSE(doctor::facts_from_json("{}"));
  EXPECT_FALSE(doctor::facts_from_json("garbage"));
}

TEST(Doctor, ReadsWhatTheSystemSays) {
  const std::filesystem::path root = testing::TempDir() + "doctor_root";
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << '\n';
  };
  write("proc/self/cgroup", "0::/batch/job");
  write("sys/fs/cgroup/batch/job/cpu.max", "max 100000");
  write("sys/fs/cgroup/batch/cpu.max", "250000 100000");
  write("sys/fs/cgroup/batch/job/memory.max", "1073741824");
  write("proc/sys/kernel/yama/ptrace_scope", "3");
  write("proc/sys/vm/overcommit_memory", "2");
  write("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
  const Facts facts = doctor::read_facts(root.string());
  std::filesystem::remove_all(root);
  EXPECT_EQ(facts.core_quota, 2.5);
  EXPECT_EQ(facts.memory_limit, std::uint64_t{1} << 30);
  EXPECT_EQ(facts.ptrace_scope, 3U);
  EXPECT_EQ(facts.overcommit, 2U);
  EXPECT_EQ(facts.clock_source, "hpet");
}

TEST(Doctor, TriesJobsHere) {
  const Outcome outcome = command("doctor -n 2");
  EXPECT_EQ(outcome.err, "");
  for (const char* conduit : {"smp", "udp", "portals", "aries"}) {
    EXPECT_NE(outcome.out.find(std::string("ok       ") + conduit), std::string::npos) << outcome.out;
  }
}

TEST(Doctor, NamesHostsThatDoNotAnswer) {
  const Outcome outcome = command("doctor --hosts localhost,other --rsh /bin/false");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("PROBLEM  agent"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("fix: ssh HOST"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace aqueduct::test
