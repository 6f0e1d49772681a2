// `aqueduct info --hosts`: what each host has, and what a job on them gets.
#include <gtest/gtest.h>

#include "hosts_job.hpp"

namespace launch_test {
namespace {

Outcome info(const std::string& hosts, std::vector<std::string> options = {}) {
  Command command;
  command.arguments = {AQUEDUCT_TOOL, "info", "--hosts", hosts, "--rsh", FAKE_RSH};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.environment = {{"AQUEDUCT_CONDUIT", ""}};
  return job_test::run(command);
}

bool says(const Outcome& outcome, const std::string& part) {
  return outcome.output.find(part) != std::string::npos;
}

TEST(InfoHosts, SaysWhatHostsHaveAndWhatAJobOnThemGets) {
  const Outcome outcome = info("a,noisyb,localhost");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  for (const char* part : {"a          Aqueduct ", "noisyb     Aqueduct ", "localhost  Aqueduct ",
                           " of memory\n", "A job of 3 ranks on these hosts ",
                           "  smp           not possible: it reaches only ranks that share memory"})
    EXPECT_TRUE(says(outcome, part)) << part << " in:\n" << outcome.output;
}

TEST(InfoHosts, OneHostIsEnoughForSharedMemory) {
  const Outcome outcome = info("a:4");
  EXPECT_TRUE(says(outcome, "A job of 4 ranks on these hosts gets the conduit smp.")) << outcome.output;
}

TEST(InfoHosts, NamesHostsThatDoNotAnswer) {
  const Outcome outcome = info("a,refused,older,garbled");
  EXPECT_EQ(outcome.code, 1);
  for (const char* part : {"a        Aqueduct ", "refused  cannot start on host refused: ",
                           "older    host older has Aqueduct 0.0.1",
                           "garbled  the agent on host garbled sends what cannot be understood"})
    EXPECT_TRUE(says(outcome, part)) << part << " in:\n" << outcome.output;
  EXPECT_FALSE(says(outcome, "A job of"));
}

TEST(InfoHosts, EachHostHasARankAtLeast) {
  const Outcome outcome = info("a,b,c", {"-n", "2"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("-n 2: there are 3 hosts, which have a rank each at least"),
            std::string::npos);
}

}  // namespace
}  // namespace launch_test
