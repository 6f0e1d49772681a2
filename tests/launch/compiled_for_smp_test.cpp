// A program that was compiled for smp says so in a job whose ranks do not all share memory.
#include <gtest/gtest.h>

#include <regex>

#include "hosts_job.hpp"

namespace launch_test {
namespace {

/// The warnings of a job; how it ends is the matter of other tests.
std::string warnings(const char* program, std::vector<std::string> options,
                     std::map<std::string, std::string> environment = {}) {
  Command command;
  command.arguments = {AQUEDUCT_TOOL, "run", "-n", "4"};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.arguments.push_back(program);
  command.environment = std::move(environment);
  const Outcome outcome = job_test::run(command);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(job_test::lines_of(outcome.output).size(), 4u) << outcome.output;
  std::string found;
  // A debug client says where it called.
  const std::regex place(" at [^ ]+:[0-9]+:");
  for (const std::string& line : job_test::lines_of(outcome.errors)) {
    if (line.find("WARNING") != line.npos) found += std::regex_replace(line, place, ":") + "\n";
  }
  return found;
}

std::string warning(const std::string& how) {
  return "*** WARNING (proc 0): in gex_Client_Init(): the program was compiled for smp (GASNET_CONDUIT_SMP), "
         "whose ranks all share memory, and the 4 ranks of this job " +
         how +
         ": where the program relies on that it fails; compile it with udp-seq.mak (pkg-config: "
         "gasnet-udp-seq) or for another network\n";
}

TEST(CompiledForSmp, IsMentionedOnceWhereThereAreSeveralNeighbourhoods) {
  EXPECT_EQ(warnings(SMP_PROGRAM, {"--layout", "2+2"}), warning("are on 2 hosts"));
  EXPECT_EQ(warnings(SMP_PROGRAM, {"--layout", "2+1+1", "--conduit", "wire"}), warning("are on 3 hosts"));
  EXPECT_EQ(warnings(SMP_PROGRAM, {"--conduit", "wire"}), warning("do not all share memory"));
  EXPECT_EQ(warnings(SMP_PROGRAM, {"--conduit", "udp"}, {{"GASNET_SUPERNODE_MAXSIZE", "3"}}),
            warning("do not all share memory"));
}

TEST(CompiledForSmp, IsNotMentionedWhereAllRanksShareMemory) {
  EXPECT_EQ(warnings(SMP_PROGRAM, {}), "");
  EXPECT_EQ(warnings(SMP_PROGRAM, {"--conduit", "udp"}), "");
  EXPECT_EQ(warnings(SMP_PROGRAM, {"--layout", "2+2"}, {{"GASNET_QUIET", "1"}}), "");
}

TEST(CompiledForSmp, IsNotMentionedOfProgramsForAnotherNetworkOrForAny) {
  EXPECT_EQ(warnings(UDP_PROGRAM, {"--layout", "2+2"}), "");
  EXPECT_EQ(warnings(ANY_PROGRAM, {"--layout", "2+2"}), "");
}

}  // namespace
}  // namespace launch_test
