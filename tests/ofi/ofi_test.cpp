// The ofi conduit where something is wrong: one line that says what, and no hang. And the peer that is gone:
// the launcher's line, and none of the library's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kill/killed_rank.hpp"
#include "support/process.hpp"

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

class Gone : public ::testing::TestWithParam<const char*> {};

TEST_P(Gone, ARankThatIsKilledEndsTheJobWithTheLaunchersLine) {
  expect_one_line_when_a_rank_is_killed(job_of(4), with({std::string("FI_PROVIDER=") + GetParam()}));
}

INSTANTIATE_TEST_SUITE_P(Over, Gone, testing::Values("net", "tcp"),
                         [](const auto& provider) { return std::string(provider.param); });

}  // namespace
}  // namespace aqueduct::test
