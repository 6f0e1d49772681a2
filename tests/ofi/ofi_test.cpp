// The ofi conduit where something is wrong: one line that says what, and no hang. And the peer that is gone:
// the launcher's line, and none of the library's.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "kill/killed_rank.hpp"
#include "support/process.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::test {
namespace {

using Settings = std::vector<std::string>;

std::vector<std::string> job_of(int ranks) {
  return {AQUEDUCT_LAUNCHER, "run", "-n", std::to_string(ranks), "--conduit", "ofi", AQUEDUCT_TRAFFIC};
}

Settings with(Settings settings) {
  settings.push_back("GASNET_SUPERNODE_MAXSIZE=1");
  return settings;
}

void expect_refusal(const Settings& settings, const std::string& part) {
  const Outcome outcome = run(job_of(2), with(settings));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_NE(outcome.exit_code, 0);
  const std::vector<std::string> lines = lines_of(outcome.err);
  ASSERT_EQ(lines.size(), 1u) << outcome.err;
  EXPECT_NE(lines[0].find(part), std::string::npos) << lines[0];
}

TEST(Ofi, AProviderThatIsNotThereIsNamed) {
  expect_refusal({"FI_PROVIDER=nowhere"}, "among FI_PROVIDER='nowhere'");
}

TEST(Ofi, SoIsADevice) {
  expect_refusal({"FI_PROVIDER=net", "GASNET_OFI_DEVICE=eth77"}, "GASNET_OFI_DEVICE='eth77'");
}

TEST(Ofi, RegistrationThatIsRefusedNamesTheLimit) {
  expect_refusal({"FI_PROVIDER=net", "AQUEDUCT_OFI_NARROW=no-registration"}, "(ulimit -l)");
}

TEST(Ofi, ACompletionWithAnErrorIsNamed) {
  expect_refusal({"FI_PROVIDER=net", "AQUEDUCT_OFI_NARROW=cq-error"}, " fails in provider net: ");
}

TEST(Ofi, MisspeltSettingsAreRefused) {
  expect_refusal({"AQUEDUCT_OFI_NARROW=no-injection"}, "'no-injection'");
  expect_refusal({"AQUEDUCT_LONG_PROTOCOL=short"}, "'short' is none of ordered, put-sync-send");
  expect_refusal({"AQUEDUCT_LONG_PROTOCOL=rendezvous-get"},
                 "the ofi conduit cannot do rendezvous-get: the target cannot read the payload");
  expect_refusal({"AQUEDUCT_LONG_PROTOCOL=ordered", "AQUEDUCT_OFI_NARROW=unordered"},
                 "messages may overtake payloads");
  expect_refusal({"AQUEDUCT_OFI_ATOMICS=fast"}, "'fast' is none of auto, native, messages");
  expect_refusal({"AQUEDUCT_OFI_RMA=fast"}, "'fast' is none of auto, native, messages");
  expect_refusal({"AQUEDUCT_OFI_DEVICES=fast"}, "'fast' is none of auto, direct, staged");
  expect_refusal({"GASNET_OFI_NUM_BBUFS=3"}, "GASNET_OFI_NUM_BBUFS");
  expect_refusal({"GASNET_OFI_MAX_MEDIUM=1GB"}, "GASNET_OFI_MAX_MEDIUM");
}

void expect_report(const Settings& settings, const std::string& part) {
  const Outcome outcome = run({AQUEDUCT_LAUNCHER, "info"}, settings);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
}

TEST(Ofi, TheReportSaysWhoDoesAtomics) {
  const std::string native = ", atomics native in domains that favour remote ranks";
  expect_report({"FI_PROVIDER=shm"}, native);
  expect_report({"FI_PROVIDER=shm", "AQUEDUCT_OFI_ATOMICS=messages"}, ", atomics by messages");
  expect_report(
      {"FI_PROVIDER=tcp"},
      "long messages ordered, put and get native, streams of small ones by messages, atomics by messages");
  expect_report({"FI_PROVIDER=tcp", "AQUEDUCT_OFI_ATOMICS=native"}, native);
  expect_report({"FI_PROVIDER=net", "AQUEDUCT_OFI_ATOMICS=native"}, ", atomics by messages");
}

TEST(Ofi, TheReportSaysWhichWaySmallTransfersGo) {
  const std::string by_messages = ", streams of small ones by messages";
  expect_report({"FI_PROVIDER=net"}, by_messages);
  expect_report({"FI_PROVIDER=net", "AQUEDUCT_OFI_RMA=native"}, "put and get native, atomics");
  expect_report({"FI_PROVIDER=net", "AQUEDUCT_OFI_NARROW=unordered"}, "put and get native, atomics");
  expect_report({"FI_PROVIDER=shm"}, "put and get native, atomics");
  expect_report({"FI_PROVIDER=shm", "AQUEDUCT_OFI_RMA=messages"}, by_messages);
}

// The most that any process of a command has had resident; 0: it has failed. In a child of its own, because
// the system counts all that this process has ever started.
long peak_kib(const std::vector<std::string>& command, const Settings& settings) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    rusage used{};
    const bool has_worked = run(command, with(settings)).exit_code == 0;
    ::getrusage(RUSAGE_CHILDREN, &used);
    const long peak = has_worked ? used.ru_maxrss : 0;
    ::_exit(::write(ends[1], &peak, sizeof peak) == sizeof peak ? 0 : 1);
  }
  ::close(ends[1]);
  long peak = 0;
  if (::read(ends[0], &peak, sizeof peak) != sizeof peak) peak = 0;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return peak;
}

// The layer rxm makes 1024 buffers in either direction when it first needs one: with room for the largest
// message they are 68 MB each, which took 26 ms in the middle of somebody's first gets.
TEST(Ofi, ARankOverTcpNeedsNoBufferForTheLargestMessageInTheLayerBelow) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory would count";
  const long peak = peak_kib({AQUEDUCT_LAUNCHER, "bench", "get-latency", "-n", "2", "--conduit", "ofi",
                              "--sizes", "8,1K,64K", "--repetitions", "1"},
                             {"FI_PROVIDER=tcp"});
  EXPECT_GT(peak, 0);
  EXPECT_LT(peak, 64 << 10);
}

// Its buffers do not bound what it sends without a rendezvous. (Since libfabric 1.20 they do, and it says
// nothing.)
TEST(Ofi, MessagesOverTcpNeedNoRendezvousInTheLayerBelow) {
  const Outcome outcome =
      run({AQUEDUCT_LAUNCHER, "bench", "am-latency", "-n", "2", "--conduit", "ofi", "--repetitions", "1"},
          with({"FI_PROVIDER=tcp", "FI_LOG_LEVEL=info", "FI_LOG_PROV=ofi_rxm"}));
  EXPECT_EQ(outcome.exit_code, 0);
  if (outcome.err.find("Protocol limits: Eager: ") == std::string::npos)
    GTEST_SKIP() << "this libfabric does not say what its layer's limits are";
  EXPECT_NE(outcome.err.find("Protocol limits: Eager: 66560"), std::string::npos);
}

class Gone : public ::testing::TestWithParam<const char*> {};

TEST_P(Gone, ARankThatIsKilledEndsTheJobWithTheLaunchersLine) {
  expect_one_line_when_a_rank_is_killed(job_of(4), with({std::string("FI_PROVIDER=") + GetParam()}));
}

INSTANTIATE_TEST_SUITE_P(Over, Gone, testing::Values("net", "tcp"),
                         [](const auto& provider) { return std::string(provider.param); });

}  // namespace
}  // namespace aqueduct::test
