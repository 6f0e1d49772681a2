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

}  // namespace
}  // namespace aqueduct::test
