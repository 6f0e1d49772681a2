// The processor of an interface: one thing at a time, in the order in which work comes.
#include "sim/firmware.hpp"

#include "models.hpp"

namespace aqueduct::sim {
namespace {

TEST(Firmware, DoesOneThingAtATimeInOrder) {
  const NetworkModel model = make_model();
  Engine engine;
  Accounts accounts(model);
  Firmware firmware(engine, accounts, 0);
  const CostId trap = model.cost("trap");
  const Time once = model[trap].fixed;
  ASSERT_GT(once, 0u);
  std::vector<Time> ended(3);
  for (Time& end : ended) {
    firmware.run(trap, 0, [&engine, &end] { end = engine.now(); });
  }
  engine.run();
  EXPECT_EQ(ended, (std::vector<Time>{once, 2 * once, 3 * once}));
  EXPECT_EQ(accounts[trap].times, 3u);
  EXPECT_EQ(accounts[trap].total, 3 * once);
}

TEST(Firmware, WorkThatComesWhileItIsBusyWaitsAndOtherWorkBeginsAtOnce) {
  const NetworkModel model = make_model();
  Engine engine;
  Accounts accounts(model);
  Firmware firmware(engine, accounts, 0);
  const CostId trap = model.cost("trap");
  const Time once = model[trap].fixed;
  Time second = 0, third = 0;
  firmware.run(trap, 0, [] {});
  engine.after(once / 2, {kControl, 0}, [&] { firmware.run(trap, 0, [&] { second = engine.now(); }); });
  engine.after(10 * once, {kControl, 0}, [&] { firmware.run(trap, 0, [&] { third = engine.now(); }); });
  engine.run();
  EXPECT_EQ(second, 2 * once);
  EXPECT_EQ(third, 11 * once);
}

TEST(Firmware, ReadsEveryPageOfAListBeforeItsCommand) {
  const NetworkModel model = make_model();
  Engine engine;
  Accounts accounts(model);
  Firmware firmware(engine, accounts, 0);
  const CostId trap = model.cost("trap"), copy = model.cost("copy");
  Time end = 0;
  firmware.run(trap, copy, 1000, [&] { end = engine.now(); });
  engine.run();
  EXPECT_EQ(end, model[copy].of(1000) + model[trap].fixed);
}

}  // namespace
}  // namespace aqueduct::sim
