// Jobs under the launchers of MPI libraries, as far as they are installed.
#include <gtest/gtest.h>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

const std::string kClient = CLIENT;

struct Launcher {
  const char* name;
  std::vector<std::string> command;
};
void PrintTo(const Launcher& launcher, std::ostream* out) { *out << launcher.name; }

class Installed : public ::testing::TestWithParam<Launcher> {
 protected:
  static Outcome start(int ranks, const std::vector<std::string>& command,
                       std::vector<std::string> environment = {}) {
    std::vector<std::string> all = GetParam().command;
    all.insert(all.end(), {"-n", std::to_string(ranks)});
    all.insert(all.end(), command.begin(), command.end());
    for (const char* setting : {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                "OMPI_MCA_rmaps_base_oversubscribe=1"})
      environment.push_back(setting);
    return run(all, environment);
  }
};

TEST_P(Installed, RanksFindEachOther) {
  for (const int ranks : {1, 2, 4}) {
    const Outcome outcome = start(ranks, {kClient});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(
          lines_with(outcome.out, "hello from rank " + std::to_string(rank) + " of " + std::to_string(ranks))
              .size(),
          1u)
          << outcome.all();
  }
}

TEST_P(Installed, OneMachineMayCountAsSeveralHosts) {
  const Outcome outcome = start(4, {kClient}, {"AQUEDUCT_LAYOUT=0,3/1,2", "AQUEDUCT_CONDUIT=wire"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "hello from rank ").size(), 4u) << outcome.all();
}

TEST_P(Installed, ADeathIsSaidOnce) {
  const Outcome outcome = start(4, {kClient, "kill", "1"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(lines_with(outcome.all(), "aqueduct: rank 1 was killed by signal 9 (Killed)").size(), 1u)
      << outcome.all();
  EXPECT_EQ(lines_with(outcome.all(), "aqueduct: ").size(), 1u) << outcome.all();
}

TEST_P(Installed, TheCodeOfAnExitIsTheLaunchers) {
  const Outcome outcome = start(3, {kClient, "exit", "1", "5"});
  EXPECT_EQ(outcome.exit_code, 5) << outcome.all();
  EXPECT_EQ(lines_with(outcome.all(), "aqueduct: rank 1 called gasnet_exit(5)").size(), 1u) << outcome.all();
}

TEST_P(Installed, AProgramThatARankStartsIsAlone) {
  const Outcome outcome = start(2, {kClient, "run", kClient});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "hello from rank 0 of 1").size(), 2u) << outcome.all();
}

TEST_P(Installed, AJobOfOurOwnInsideIsOurs) {
  const Outcome outcome = start(2, {kClient}, {"AQUEDUCT_LAUNCHER=none", "AQUEDUCT_RANKS=2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "hello from rank 1 of 2").size(), 2u) << outcome.all();
}

std::vector<Launcher> installed() {
  std::vector<Launcher> launchers;
  if (*MPIRUN != '\0') launchers.push_back({"OpenMpi", {MPIRUN}});
  if (*HYDRA != '\0') launchers.push_back({"Hydra", {HYDRA}});
  if (*HYDRA != '\0') launchers.push_back({"HydraAtAPort", {HYDRA, "-pmi-port"}});
  return launchers;
}

INSTANTIATE_TEST_SUITE_P(By, Installed, ::testing::ValuesIn(installed()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace aqueduct::test
