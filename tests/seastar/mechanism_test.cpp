// Results follow from the mechanisms: change what something costs, and what uses it moves, by as often as it
// does.
#include <gtest/gtest.h>

#include <initializer_list>

#include "papers/bench/portals/simulated.hpp"
#include "stage.hpp"

namespace aqueduct::portals3::seastar::test {
namespace {

using bench::portals::Measured;
using bench::portals::Pattern;
using bench::portals::Task;

class RedStormNumbers : public ::testing::Test {
 protected:
  static Measured measured(const Task& task, const std::vector<std::string>& changes = {},
                           BridgeKind bridge = BridgeKind::kQk,
                           const std::string& name = "seastar-redstorm") {
    const sim::NetworkModel model = network(name, changes);
    return bench::portals::measure({.model = &model, .bridge = bridge}, {&task, 1}).front();
  }
  static double ns(const Task& task, const std::vector<std::string>& changes = {},
                   BridgeKind bridge = BridgeKind::kQk) {
    return measured(task, changes, bridge).ns;
  }
  /// By how much a change moves a task.
  static double shift(const Task& task, const std::string& change, BridgeKind bridge = BridgeKind::kQk) {
    return ns(task, {change}, bridge) - ns(task, {}, bridge);
  }
};

TEST_F(RedStormNumbers, AShortPutInterruptsEachSideOnceAndALongOneItsTargetTwice) {
  // Per round trip: each side sends once and receives once.
  const Measured fits = measured({Pattern::kPut, 12});
  EXPECT_EQ(fits.interrupts, 4 * fits.operations);
  const Measured exceeds = measured({Pattern::kPut, 13});
  EXPECT_EQ(exceeds.interrupts, 6 * exceeds.operations);
}

TEST_F(RedStormNumbers, AGetInterruptsItsTargetToBeAnsweredAndWhenTheAnswerHasLeft) {
  constexpr std::uint64_t kLastPut = 2;  // says that all is over
  const Measured fits = measured({Pattern::kGet, 12});
  EXPECT_EQ(fits.interrupts, 3 * fits.operations + kLastPut);
  const Measured exceeds = measured({Pattern::kGet, 13});
  EXPECT_EQ(exceeds.interrupts, 4 * exceeds.operations + kLastPut);
}

TEST_F(RedStormNumbers, TheInterruptIsPaidOnceBelowTheStepAndTwiceAboveIt) {
  const char* const cheaper = "costs.interrupt_exit=1250ns";  // by 500
  EXPECT_NEAR(shift({Pattern::kPut, 0}, cheaper), -500, kExact);
  EXPECT_NEAR(shift({Pattern::kPut, 13}, cheaper), -1000, kExact);
  EXPECT_NEAR(shift({Pattern::kGet, 0}, cheaper), -500, kExact);
  // The own send and the other's put interrupt one after the other.
  EXPECT_NEAR(shift({Pattern::kBidirectionalPut, 0}, cheaper), -1000, kExact);
  EXPECT_NEAR(shift({Pattern::kPut, 0}, cheaper, BridgeKind::kAccelerated), 0, kExact);
}

TEST_F(RedStormNumbers, TheWayIntoTheInterruptCountsAtBothEndsOfAGet) {
  const char* const cheaper = "costs.interrupt_entry=150ns";  // by 100
  EXPECT_NEAR(shift({Pattern::kPut, 0}, cheaper), -100, kExact);
  EXPECT_NEAR(shift({Pattern::kGet, 0}, cheaper), -200, kExact);
}

TEST_F(RedStormNumbers, ATrapIsPaidForTheCallAndForEachOfTwoEvents) {
  const char* const dearer = "costs.trap=175ns";  // by 100
  EXPECT_NEAR(shift({Pattern::kPut, 0}, dearer), 300, kExact);
  EXPECT_NEAR(shift({Pattern::kPut, 0}, dearer, BridgeKind::kUk), 0, kExact);
  EXPECT_NEAR(shift({Pattern::kPut, 0}, dearer, BridgeKind::kAccelerated), 0, kExact);
  // A process on Linux looks at its event queues by itself.
  EXPECT_NEAR(shift({Pattern::kPut, 0}, "costs.system_call=300ns", BridgeKind::kUk), 100, kExact);
  EXPECT_NEAR(shift({Pattern::kPut, 0}, "costs.system_call=300ns", BridgeKind::kK), 0, kExact);
}

TEST_F(RedStormNumbers, TheSlowestPartOfTheWayDecidesBandwidth) {
  const Task two_megabytes{Pattern::kPut, 2 << 20};
  const auto bandwidth = [&](const std::string& change) {
    return static_cast<double>(two_megabytes.bytes) / ns(two_megabytes, {change}) * 1e3;
  };
  EXPECT_NEAR(bandwidth("injection.bandwidth=500MB/s"), 500, 5);
  EXPECT_NEAR(bandwidth("ejection.bandwidth=600MB/s"), 600, 6);
  EXPECT_NEAR(bandwidth("link.bandwidth=700MB/s"), 700, 7);
  // Once the engine is fast, HyperTransport and the links are what is left.
  EXPECT_NEAR(bandwidth("injection.bandwidth=9GB/s"), 2500, 40);
}

TEST_F(RedStormNumbers, TheStepIsWhereTheHeaderPacketEnds) {
  const auto step = [&](std::size_t after, BridgeKind bridge) {
    return ns({Pattern::kPut, after + 1}, {"inline_bytes=20B"}, bridge) -
           ns({Pattern::kPut, after}, {"inline_bytes=20B"}, bridge);
  };
  EXPECT_LT(step(12, BridgeKind::kQk), 10);
  EXPECT_GT(step(20, BridgeKind::kQk), 1900);
  // What is left without interrupts: the receive engine has to be programmed.
  EXPECT_NEAR(step(20, BridgeKind::kAccelerated), 110 + 80, 20);
}

TEST_F(RedStormNumbers, EveryHopIsOnTheWay) {
  EXPECT_NEAR(shift({Pattern::kPut, 0}, "link.hop=1050ns"), 1000, kExact);
  EXPECT_NEAR(shift({Pattern::kGet, 0}, "link.hop=1050ns"), 2000, kExact);
}

TEST_F(RedStormNumbers, OnLinuxEveryPageIsListed) {
  const Task task{Pattern::kPut, 64 << 10};
  // 16 pages are pushed before the message leaves.
  EXPECT_NEAR(shift(task, "costs.push_page=16ns", BridgeKind::kQk), 0, kExact);
  const double listed = ns(task, {}, BridgeKind::kUk) - ns({Pattern::kPut, 0}, {}, BridgeKind::kUk);
  const double contiguous = ns(task) - ns({Pattern::kPut, 0});
  EXPECT_GT(listed - contiguous, 16 * 40);
}

TEST_F(RedStormNumbers, AcceleratedModeIsFasterEverywhereAndNeverInterrupts) {
  for (const Pattern pattern :
       {Pattern::kPut, Pattern::kGet, Pattern::kBidirectionalPut, Pattern::kPutStream}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{13}, std::size_t{1 << 10}}) {
      const Measured accelerated = measured({pattern, bytes}, {}, BridgeKind::kAccelerated);
      EXPECT_EQ(accelerated.interrupts, 0u);
      EXPECT_LT(accelerated.ns, ns({pattern, bytes})) << name_of(pattern) << " of " << bytes;
    }
  }
}

TEST_F(RedStormNumbers, AStreamIsBoundByTheReceiversInterrupts) {
  const sim::NetworkModel model = network("seastar-redstorm");
  const auto cost_ns = [&](const char* name, std::size_t amount) {
    return static_cast<double>(model[model.cost(name)].of(amount)) / sim::kNanosecond;
  };
  EXPECT_NEAR(ns({Pattern::kPutStream, 0}),
              cost_ns("interrupt_entry", 0) + cost_ns("match", 1) + cost_ns("complete", 0) +
                  cost_ns("interrupt_exit", 0),
              250);
}

TEST(NetworkFiles, EveryNumberSaysWhereItComesFrom) {
  for (const char* name : {"seastar-redstorm", "seastar-xt4"}) {
    const sim::NetworkModel model = network(name);
    EXPECT_TRUE(bench::portals::carries_portals(model)) << name;
    EXPECT_GT(model.numbers().size(), 30u);
    for (const sim::Number& number : model.numbers()) {
      EXPECT_GT(number.according_to.size(), 5u) << name << ": " << number.name;
    }
    const Time interrupt =
        model[model.cost("interrupt_entry")].fixed + model[model.cost("interrupt_exit")].fixed;
    EXPECT_GE(interrupt, 2 * sim::kMicrosecond) << name << ": the paper's lower bound";
  }
}

TEST(NetworkFiles, TheXt4IsFasterAndItsStepComesAfter16Bytes) {
  const sim::NetworkModel later = network("seastar-xt4");
  const sim::NetworkModel earlier = network("seastar-redstorm");
  const std::vector<Task> tasks{
      {Pattern::kPut, 12}, {Pattern::kPut, 16}, {Pattern::kPut, 17}, {Pattern::kPut, 2 << 20}};
  const auto slow = bench::portals::measure({.model = &earlier}, tasks);
  const auto fast = bench::portals::measure({.model = &later, .bridge = BridgeKind::kUk}, tasks);
  EXPECT_LT(fast[1].ns - fast[0].ns, 20);
  EXPECT_GT(fast[2].ns - fast[1].ns, 1500);
  EXPECT_LT(fast[3].ns, 0.65 * slow[3].ns);
}

}  // namespace
}  // namespace aqueduct::portals3::seastar::test
