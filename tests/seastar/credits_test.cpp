// Credits over the whole machine: that their audit is not blind.
#include <gtest/gtest.h>

#include <cstdlib>

#include "lost_credit.h"
#include "papers/nic/portals3/seastar/rank_machine.hpp"
#include "sim/simulated_job.hpp"
#include "stage.hpp"

namespace aqueduct::portals3::seastar::test {
namespace {

int run_lost_credit() {
  ::setenv("AQUEDUCT_CONDUIT", "portals", 1);
  const sim::NetworkModel model = network("seastar-redstorm");
  sim::Setup setup;
  setup.model = &model;
  setup.nodes = 4;
  sim::Simulation simulation(setup);
  const std::unique_ptr<sim::Machine> machine = kMachine.build(simulation, "");
  sim::JobOptions options;
  options.machine = machine.get();
  sim::SimulatedJob job(simulation, options);
  return job.run([](RankId) { return lost_credit_main(); }).code;
}

TEST(CreditBooks, FindACreditThatComesFromNowhereAtTheNextQuietMoment) {
  EXPECT_EXIT(
      std::exit(run_lost_credit()), ::testing::ExitedWithCode(1),
      "^all is well\n.*in credits..( at [^ ]+)?: rank 2 holds [0-9]+ credits of rank 1, which has lent it "
      "[0-9]+\n$");
}

}  // namespace
}  // namespace aqueduct::portals3::seastar::test
