// What a device or its driver does wrong, or a program with them, is one line that says who and what.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

Outcome run_fault(const std::vector<std::string>& arguments, std::vector<std::string> environment = {},
                  const char* ranks = "2", const char* conduit = "smp") {
  std::vector<std::string> command{AQUEDUCT_LAUNCHER, "run",   "-n",          ranks,
                                   "--conduit",       conduit, AQUEDUCT_FAULT};
  command.insert(command.end(), arguments.begin(), arguments.end());
  environment.insert(environment.begin(), std::string("AQUEDUCT_CUDA_LIBRARY=") + AQUEDUCT_STAND_IN);
  return run(command, environment);
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  const char* code;
  const char* says;
};

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, AreReturnedWithALineThatSaysWhy) {
  const Outcome outcome = run_fault(GetParam().arguments, GetParam().environment);
  EXPECT_EQ(0, outcome.exit_code) << outcome.all();
  EXPECT_EQ(2u, lines_with(outcome.out, std::string("gives ") + GetParam().code).size()) << outcome.all();
  EXPECT_EQ(2u, lines_with(outcome.err, GetParam().says).size()) << "one line of each rank\n"
                                                                 << outcome.all();
}

INSTANTIATE_TEST_SUITE_P(
    Device, Refusals,
    ::testing::Values(
        Refusal{"no_driver",
                {"kind"},
                {"AQUEDUCT_CUDA_LIBRARY=libnone.so.1"},
                "GASNET_ERR_RESOURCE",
                "there is no CUDA driver: libnone.so.1"},
        Refusal{"another_library",
                {"kind"},
                {"AQUEDUCT_CUDA_LIBRARY=libm.so.6"},
                "GASNET_ERR_RESOURCE",
                "the CUDA driver is too old: libm.so.6 has no cuInit"},
        Refusal{"driver_that_does_not_start",
                {"kind"},
                {"STAND_IN_FAIL=cuInit:1:100"},
                "GASNET_ERR_RESOURCE",
                "the CUDA driver does not start: cuInit: "},
        Refusal{"no_device", {"kind"}, {"STAND_IN_DEVICES=0"}, "GASNET_ERR_RESOURCE", "finds no device"},
        Refusal{"other_ordinal", {"kind", "2"}, {}, "GASNET_ERR_BAD_ARG", "there is no device 2"},
        Refusal{"negative_ordinal", {"kind", "-1"}, {}, "GASNET_ERR_BAD_ARG", "there is no device -1"},
        Refusal{"ze_without_handles",
                {"ze"},
                {std::string("AQUEDUCT_ZE_LIBRARY=") + AQUEDUCT_STAND_IN},
                "GASNET_ERR_BAD_ARG",
                "a device and a context of Level Zero must be named"},
        Refusal{"ze_without_driver",
                {"ze"},
                {"AQUEDUCT_ZE_LIBRARY=libnone.so.1"},
                "GASNET_ERR_RESOURCE",
                "there is no Level Zero driver: libnone.so.1"},
        Refusal{"context",
                {"kind"},
                {"STAND_IN_FAIL=cuDevicePrimaryCtxRetain:1:2"},
                "GASNET_ERR_RESOURCE",
                "device 0 (stand-in 0): cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY"},
        Refusal{
            "exhausted",
            {"segment"},
            {"STAND_IN_MEMORY=1000000"},
            "GASNET_ERR_RESOURCE",
            "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (said by the stand-in), of 1000000 bytes 1000000 are free"},
        Refusal{"foreign_pointer", {"foreign"}, {}, "GASNET_ERR_BAD_ARG", "is no memory of a device"},
        Refusal{
            "first_endpoint", {"first_endpoint"}, {}, "GASNET_ERR_BAD_ARG", "must lie in the host's memory"}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

struct End {
  const char* name;
  std::vector<std::string> environment;
  const char* says;
};

class Ends : public ::testing::TestWithParam<End> {};

TEST_P(Ends, AreOneLine) {
  const Outcome outcome = run_fault({GetParam().name}, GetParam().environment);
  EXPECT_NE(0, outcome.exit_code);
  EXPECT_EQ(1u, lines_with(outcome.err, GetParam().says).size()) << outcome.all();
}

INSTANTIATE_TEST_SUITE_P(
    Device, Ends,
    ::testing::Values(End{"copies",
                          {"STAND_IN_FAIL=cuMemcpyAsync:5:700"},
                          "rank 0, device 0 (stand-in 0): cuMemcpyAsync: CUDA_ERROR_ILLEGAL_ADDRESS"},
                      End{"kind_with_segments", {}, "1 segments of the kind exist"},
                      End{"long", {}, "lies on a device, where no message can leave its payload"},
                      End{"payload", {}, "lies on a device, where no message can take it from"},
                      End{"collective", {}, "where the data of a collective cannot be"},
                      End{"atomic", {}, "lies on a device, where no atomic can be done"}),
    [](const auto& end) { return std::string(end.param.name); });

TEST(ARankThatDies, LeavesOthersGoingOnAndFreeingWhatTheyHadMapped) {
  for (const char* staged : {"no", "yes"}) {
    const Outcome outcome =
        run_fault({"death"}, {"AQUEDUCT_ON_FAILURE=report", std::string("AQUEDUCT_REFERENCE=") + staged});
    EXPECT_EQ(1u, lines_with(outcome.out, "rank 0 goes on").size()) << outcome.all();
    EXPECT_EQ(1u, lines_with(outcome.out, "rank 0 has freed its memory").size()) << outcome.all();
  }
}

// From that code on, every call of the driver answers it.
TEST(ACardThatFallsOut, EndsItsRankAndLeavesOthersGoingOn) {
  const Outcome outcome =
      run_fault({"falls_out"}, {"AQUEDUCT_ON_FAILURE=report", "STAND_IN_FAIL=cuMemcpyAsync:5:700"});
  EXPECT_EQ(1u, lines_with(outcome.err, "rank 0, device 0 (stand-in 0): cuMemcpyAsync: ").size())
      << outcome.all();
  EXPECT_EQ(1u, lines_with(outcome.out, "rank 1 has freed its memory").size()) << outcome.all();
}

// Its puts and gets are under way in both directions, by slots of those that go on, and by messages.
TEST(ARankThatDies, LeavesOthersGoingOnWhatItHadUnderWay) {
  for (const char* conduit : {"udp", "wire"}) {
    for (const char* staging : {"24MB", "0"}) {
      const Outcome outcome = run_fault({"death_in_flight"},
                                        {"AQUEDUCT_ON_FAILURE=report", "GASNET_SUPERNODE_MAXSIZE=1",
                                         std::string("AQUEDUCT_DEVICE_STAGING=") + staging},
                                        "3", conduit);
      EXPECT_EQ(1u, lines_with(outcome.out, "rank 0 has freed its memory").size()) << outcome.all();
      EXPECT_EQ(1u, lines_with(outcome.out, "rank 1 has freed its memory").size()) << outcome.all();
    }
  }
}

#ifdef AQUEDUCT_PROVIDERS

std::vector<std::string> with_provider(std::vector<std::string> more) {
  more.insert(more.begin(),
              {std::string("AQUEDUCT_CUDA_LIBRARY=") + AQUEDUCT_STAND_IN, "STAND_IN_DEVICES=1",
               std::string("FI_PROVIDER_PATH=") + AQUEDUCT_PROVIDERS, "FI_PROVIDER=stand_in,tcp,ofi_rxm"});
  return more;
}

/// What the process that tries a provider on device 0 answers.
std::string trial(const char* behaviour) {
  const std::string command =
      std::string("exec ") + AQUEDUCT_PROBE + " " + AQUEDUCT_PLUGIN + " ofi 2 1 1 0 - 0 0 3>&1";
  const Outcome outcome =
      run({"/bin/sh", "-c", command}, with_provider({std::string("STAND_IN_PROVIDER=") + behaviour}));
  return outcome.out;
}

TEST(ATrialOfAProvider, SucceedsOnlyIfTheRightBytesComeBack) {
  EXPECT_EQ("yes 0\n", trial(""));
  EXPECT_EQ(
      "no registering memory of the device by fi_mr_regattr of provider stand_in fails: "
      "Function not implemented\n",
      trial("refuses"));
  EXPECT_EQ("no provider stand_in has moved wrong bytes: a put of 1 from the host to the device, at byte 0\n",
            trial("loses"));
  EXPECT_EQ(
      "no provider stand_in has moved wrong bytes: a put of 1 from the device to the device, at byte 0\n",
      trial("shifts"));
  EXPECT_EQ("no fi_writemsg of provider stand_in fails: Invalid argument\n", trial("fails"));
  EXPECT_EQ("no fi_readmsg of provider stand_in fails: Invalid argument\n", trial("fails:4"));
  EXPECT_EQ("yes 0\n", trial("alone"));
  EXPECT_NE(std::string::npos, trial("weak").find("and then has less of something else: inject 0 bytes"));
}

TEST(ATrialOfAProvider, IsReportedByInfo) {
  const auto expect_info = [](std::vector<std::string> environment, const std::string& part) {
    const Outcome outcome = run({AQUEDUCT_LAUNCHER, "info"}, with_provider(std::move(environment)));
    EXPECT_NE(std::string::npos, outcome.out.find(part)) << outcome.all();
  };
  expect_info({}, "CUDA device 0 direct, since it has written and read back the right bytes");
  expect_info({"STAND_IN_PROVIDER=crashes"},
              std::string("CUDA device 0 staged: it ends ") + AQUEDUCT_PROBE + " by signal 11");
  expect_info({"STAND_IN_PROVIDER=hangs"}, std::string("CUDA device 0 staged: it does not answer ") +
                                               AQUEDUCT_PROBE + ", neither yes nor no");
  expect_info({"AQUEDUCT_OFI_DEVICES=staged"}, "memory of devices is staged: AQUEDUCT_OFI_DEVICES says so");
  expect_info({"FI_PROVIDER=net"}, "memory of devices is staged: provider net does not move it (FI_HMEM)");
}

// The provider of rank 1, which sees another device than rank 0 as the first one, does not do well there.
TEST(ATrialOfAProvider, IsSharedOnlyByRanksThatSeeTheSameDevices) {
  const Outcome outcome = run_fault(
      {"sees_others"},
      with_provider({"GASNET_SUPERNODE_MAXSIZE=1", "GASNET_TRACEFILE=stderr", "GASNET_TRACEMASK=O"}), "2",
      "ofi");
  EXPECT_EQ(0, outcome.exit_code) << outcome.all();
  EXPECT_EQ(1u, lines_with(outcome.err, "known to the network").size()) << outcome.all();
  EXPECT_EQ(1u, lines_with(outcome.err, "staged: provider stand_in has moved wrong bytes").size())
      << outcome.all();
}

// In the trial, which has 18 transfers, it does well.
TEST(AProviderThatFailsLater, EndsTheJobWithOneLine) {
  const Outcome outcome = run_fault(
      {"copies"}, with_provider({"GASNET_SUPERNODE_MAXSIZE=1", "STAND_IN_PROVIDER=fails:19"}), "2", "ofi");
  EXPECT_NE(0, outcome.exit_code);
  EXPECT_EQ(1u, lines_with(outcome.err, "for rank 1 fails in provider stand_in: Invalid argument").size())
      << outcome.all();
}

TEST(AProviderThatMustMoveDeviceMemory, AndDoesNotEndsTheJobWithOneLine) {
  for (const char* const why :
       {"direct: provider stand_in does not register a segment on a device: Function not implemented",
        "direct: provider net does not move it (FI_HMEM)"}) {
    const bool is_net = std::string(why).find(" net ") != std::string::npos;
    const Outcome outcome =
        run_fault({"copies"},
                  with_provider({"GASNET_SUPERNODE_MAXSIZE=1", "AQUEDUCT_OFI_DEVICES=direct",
                                 is_net ? "FI_PROVIDER=net" : "STAND_IN_PROVIDER=refuses"}),
                  "2", "ofi");
    EXPECT_NE(0, outcome.exit_code);
    EXPECT_EQ(1u, lines_with(outcome.err, why).size()) << outcome.all();
  }
}

TEST(ARankThatDies, EndsAJobWhoseDevicesTheNetworkReaches) {
  const Outcome outcome =
      run_fault({"death_in_flight"}, with_provider({"GASNET_SUPERNODE_MAXSIZE=1"}), "3", "ofi");
  EXPECT_EQ(1u, lines_with(outcome.err, "rank 2 ").size()) << outcome.all();
  EXPECT_NE(0, outcome.exit_code);
}

#endif

}  // namespace
}  // namespace aqueduct::test
