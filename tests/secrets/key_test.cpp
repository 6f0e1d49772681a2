// No core file of any process of a job holds the job's key: of ranks, launchers, agents and wardens, however
// the job was started.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>

#include "base/secret.hpp"
#include "fabric/udp/seal.hpp"
#include "fabric/udp/sodium.hpp"
#include "job/process.hpp"
#include "memory_scan.hpp"
#include "support/free_port.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::test {
namespace {

using job_test::Command;
using job_test::Process;

/// All processes that these have started, and they themselves.
std::vector<pid_t> tree_of(std::vector<pid_t> processes) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (const pid_t child : job_test::children_of(processes[i])) processes.push_back(child);
  }
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  return processes;
}

/// Those that run a program of this name; the shells of tests are none of ours.
bool is_ours(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return name.rfind("aqueduct", 0) == 0 || name.rfind("keyed_rank", 0) == 0;
}

struct KeyedJob {
  std::string mark = job_test::unique_mark();
  std::string go = testing::TempDir() + "aqueduct-go-" + mark;
  std::vector<std::unique_ptr<Process>> processes;

  ~KeyedJob() { std::remove(go.c_str()); }
  void start(std::vector<std::string> command, std::map<std::string, std::string> environment = {}) {
    command.insert(command.end(), {KEYED_RANK, mark, go});
    environment["AQUEDUCT_CONDUIT"] = "udp";
    processes.push_back(std::make_unique<Process>(Command{std::move(command), std::move(environment)}));
  }

  /// Waits until the ranks have looked for the key in their memory, and looks for it in that of all others.
  /// Expects that there are `supervisors` besides the ranks.
  void expect_no_key(int ranks, std::size_t supervisors) {
    const int each = ranks / static_cast<int>(processes.size());
    for (const auto& process : processes)
      ASSERT_TRUE(process->wait_for("looked\n", each)) << process->finish().errors;
    const std::string& said = processes[0]->output();
    const std::size_t at = said.find("key ");
    ASSERT_NE(at, said.npos) << said;
    const std::optional<MaskedKey> key = MaskedKey::parse(std::string_view(said).substr(at + 4, 64), true);
    ASSERT_TRUE(key) << said;
    EXPECT_NE(key->complement(), MaskedKey(std::array<std::uint8_t, 32>{}).complement()) << "there is no key";

    std::vector<pid_t> all = job_test::processes_with(mark);
    for (const auto& process : processes) all.push_back(process->pid());
    std::size_t seen = 0;
    for (const pid_t process : tree_of(all)) {
      if (!is_ours(process)) continue;
      ++seen;
      for (const std::string& place : find_in_core(process, *key)) ADD_FAILURE() << place;
    }
    EXPECT_GE(seen, static_cast<std::size_t>(ranks) + supervisors);
    std::ofstream(go).flush();
    for (const auto& process : processes) {
      const job_test::Outcome outcome = process->finish();
      EXPECT_EQ(outcome.code, 0);
      EXPECT_EQ(outcome.errors, "");
      EXPECT_EQ(outcome.output.find("found"), outcome.output.npos) << outcome.output;
    }
  }
};

/// Reads all memory of several processes.
class KeyInCoreFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "shadow memory is more than a test can read";
  }
};

TEST_F(KeyInCoreFiles, IsNotThereUnderOurLauncher) {
  KeyedJob job;
  job.start({AQUEDUCT_TOOL, "run", "-n", "2"}, {{"AQUEDUCT_LAYOUT", "1+1"}});
  job.expect_no_key(2, 1);
}

TEST_F(KeyInCoreFiles, IsNotThereInAProgramThatStartsItsRanks) {
  KeyedJob job;
  job.start({}, {{"AQUEDUCT_RANKS", "2"}});
  job.expect_no_key(2, 1);
}

TEST_F(KeyInCoreFiles, IsNotThereOnSeveralHosts) {
  KeyedJob job;
  job.start({AQUEDUCT_TOOL, "run", "--hosts", "a,b", "--rsh", FAKE_RSH, "-n", "2"});
  job.expect_no_key(2, 3);
}

TEST_F(KeyInCoreFiles, IsNotThereWhereTheUserHasGivenIt) {
  for (const char* layout : {"", "1+1"}) {
    KeyedJob job;
    const std::string root = "127.0.0.1:" + free_port();
    for (const char* rank : {"0", "1"})
      job.start({},
                {{"AQUEDUCT_RANK", rank},
                 {"AQUEDUCT_SIZE", "2"},
                 {"AQUEDUCT_ROOT", root},
                 {"AQUEDUCT_LAYOUT", layout},
                 {"AQUEDUCT_JOB_KEY", "0123456789abcdef00112233445566778899aabbccddeeff0f1e2d3c4b5a6978"}});
    job.expect_no_key(2, 1);
  }
}

TEST(Secrets, AreLeftOutOfCoreFilesAndWiped) {
  auto* const secret = static_cast<char*>(allocate_secret(5000));
  EXPECT_TRUE(is_left_out(secret));
  EXPECT_TRUE(is_left_out(secret + 4999));
  EXPECT_EQ(std::count(secret, secret + 5000, '\0'), 5000);
  release_secret(secret, 5000);
  const auto ordinary = std::make_unique<char>('x');
  EXPECT_FALSE(is_left_out(ordinary.get()));
}

TEST(Secrets, KeysOfSealsAreLeftOutOfCoreFiles) {
  using namespace fabric::udp;
  for (const Cipher cipher : {Cipher::kChaChaPoly, best_cipher()}) {
    std::string why;
    const std::unique_ptr<Seal> seal = make_seal(Security::kEncrypt, cipher, net::JobKey::random(), 1, &why);
    ASSERT_TRUE(seal) << why;
    EXPECT_TRUE(is_left_out(seal.get()));
  }
}

/// The key that a seal is made of, found nowhere that a core file would show: neither in a library's memory
/// nor in what its calls have left on the stack. Each call of libsodium leaves a part of the key there.
TEST(Secrets, KeysOfSealsAreNowhereElse) {
  if (kSanitized) GTEST_SKIP() << "shadow memory is more than a test can read";
  using namespace fabric::udp;
  for (const SealLibrary library : {SealLibrary::kSodium, SealLibrary::kIpsecMb}) {
    std::string why;
    const net::JobKey job = net::JobKey::random();
    const auto seal = make_seal(Security::kAuthenticate, Cipher::kAesGcm, job, 1, &why, library);
    if (!seal) continue;
    std::array<std::uint8_t, MaskedKey::kBytes> derived;
    constexpr std::uint64_t kUse = 1u << 16 | 1u << 8;  // stream 1, to authenticate, by AES
    Sodium::load(&why)->derive_key(derived.data(), derived.size(), kUse, "aqd-udp1", job.bytes().data());
    const MaskedKey masked(derived);
    wipe(std::span(derived));
    wipe_stack();
    std::vector<std::byte> datagram(1000);
    for (std::uint64_t number = 0; library == SealLibrary::kIpsecMb && number < 3; ++number) {
      seal->seal({0, 1, number}, datagram, 24);
      ASSERT_TRUE(seal->open({0, 1, number}, datagram, 24));
    }
    for (const std::string& place : find_in_core(getpid(), masked)) ADD_FAILURE() << place;
  }
}

TEST(Secrets, AreHiddenFromChildrenWhereThatIsAskedFor) {
  // In a process of its own: it cannot be undone.
  EXPECT_EXIT(
      {
        auto* const before = static_cast<char*>(allocate_secret(1));
        *before = 'x';
        hide_secrets_from_children();
        auto* const after = static_cast<char*>(allocate_secret(1));
        *after = 'x';
        const pid_t child = fork();
        if (child == 0) _exit(*before == 'x' || *after == 'x' ? 1 : 0);
        int status = -1;
        waitpid(child, &status, 0);
        _exit(status == 0 && *before == 'x' && *after == 'x' ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Secrets, AVariableIsTakenOutOfTheEnvironmentAndWiped) {
  char setting[] = "AQUEDUCT_TEST_SECRET=never tell";
  ASSERT_EQ(putenv(setting), 0);
  EXPECT_EQ(take_secret_variable("AQUEDUCT_TEST_SECRET"), "never tell");
  EXPECT_EQ(std::getenv("AQUEDUCT_TEST_SECRET"), nullptr);
  EXPECT_EQ(std::strcmp(setting, "AQUEDUCT_TEST_SECRET="), 0);
  EXPECT_EQ(take_secret_variable("AQUEDUCT_TEST_SECRET"), "");
}

}  // namespace
}  // namespace aqueduct::test
