// Machines: what ranks find in front of their ports.
#include "sim/machine.hpp"

#include <gtest/gtest.h>

#include "models.hpp"
#include "sim/simulated_job.hpp"

namespace aqueduct::sim {
namespace {

/// An interface whose library keeps a number of each rank.
class Numbers final : public Machine {
 public:
  explicit Numbers(Simulation& simulation) : numbers_(simulation.ports()) {}

  void enter(RankId rank) override {
    numbers_[rank] = 100 + rank;
    current_context.nic = &numbers_[rank];
  }
  static RankId mine() { return *static_cast<RankId*>(current_context.nic); }

 private:
  std::vector<RankId> numbers_;
};

TEST(Machine, EveryRankFindsItsOwnProcessOfTheInterface) {
  const NetworkModel model = make_model();
  Simulation simulation({.model = &model, .nodes = 5, .ports_per_node = 2});
  Numbers machine(simulation);
  SimulatedJob job(simulation, {.machine = &machine});
  std::vector<RankId> found(10);
  const JobResult result = job.run([&](RankId rank) {
    for (unsigned turn = 0; turn < 3; ++turn) {
      EXPECT_EQ(Numbers::mine(), 100 + rank);
      Fiber::current()->sleep_until(simulation.engine().now() + (1 + rank % 3) * kMicrosecond);
    }
    found[rank] = Numbers::mine();
    return 0;
  });
  EXPECT_TRUE(result.ok());
  for (RankId rank = 0; rank < 10; ++rank) EXPECT_EQ(found[rank], 100 + rank);
}

TEST(Machine, TheBareFabricHasOneWayInAndPreparesNothing) {
  const NetworkModel model = make_model();
  Simulation simulation({.model = &model});
  EXPECT_FALSE(kFabricMachine.has("qk"));
  const std::unique_ptr<Machine> machine = kFabricMachine.build(simulation, "");
  SimulatedJob job(simulation, {.machine = machine.get()});
  EXPECT_TRUE(job.run([](RankId) { return current_context.nic == nullptr ? 0 : 1; }).ok());
}

}  // namespace
}  // namespace aqueduct::sim
