// The event engine, fibers and hosts: order, time, interrupts, and that nothing depends on the machine.
#include <vector>

#include "models.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::sim {
namespace {

TEST(Engine, EventsHappenByTimeAndThenInTheOrderOfPosting) {
  Engine engine;
  std::vector<int> seen;
  auto* out = &seen;
  engine.at(30, {}, [out] { out->push_back(5); });
  engine.at(10, {}, [out] { out->push_back(1); });
  engine.at(20, {}, [out, &engine] {
    out->push_back(3);
    engine.at(20, {}, [out] { out->push_back(4); });  // now, but after what was posted for this time before
  });
  engine.at(20, {}, [out] { out->push_back(33); });
  engine.at(10, {}, [out] { out->push_back(2); });
  engine.run();
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 33, 4, 5}));
  EXPECT_EQ(engine.now(), 30u);
  EXPECT_EQ(engine.events(), 6u);
}

TEST(Engine, AHeapOfManyEventsComesOutSorted) {
  Engine engine(3);
  Random random = engine.random(1);
  struct Seen {
    Time last = 0;
    std::uint64_t count = 0;
    bool sorted = true;
  } seen;
  for (int i = 0; i < 20000; ++i) {
    const Time when = random.below(5000);
    engine.at(when, {}, [&seen, when] {
      seen.sorted = seen.sorted && when >= seen.last;
      seen.last = when;
      ++seen.count;
    });
  }
  engine.run();
  EXPECT_TRUE(seen.sorted);
  EXPECT_EQ(seen.count, 20000u);
}

TEST(Engine, TheTraceHashIsTheSameOnEveryMachine) {
  // Fixed for ever: a change of this number means that old trace hashes cannot be compared any more.
  Engine engine(7);
  Random random = engine.random(1);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    engine.at(random.below(100), {static_cast<std::uint16_t>(i % 5), i}, [] {});
  }
  engine.run();
  EXPECT_EQ(engine.trace().hash(), 17755587361289536464u);
}

class HostTest : public testing::Test {
 protected:
  NetworkModel model_ = make_model();
  Simulation simulation_{{.model = &model_, .nodes = 2}};
  Engine& engine_ = simulation_.engine();
  Host& host_ = simulation_.host(0);
};

TEST_F(HostTest, WorkTakesTheTimeOfItsCostAndIsAccounted) {
  Time after_trap = 0, after_copy = 0;
  simulation_.fibers().start(host_, "worker", [&] {
    host_.charge(model_.cost("trap"));
    after_trap = engine_.now();
    host_.charge(model_.cost("copy"), 1000);
    after_copy = engine_.now();
  });
  EXPECT_TRUE(simulation_.run());
  EXPECT_EQ(after_trap, 75 * kNanosecond);
  EXPECT_EQ(after_copy, (75 + 40 + 250) * kNanosecond);
  EXPECT_EQ(simulation_.accounts()[model_.cost("copy")].times, 1u);
  EXPECT_EQ(simulation_.accounts()[model_.cost("copy")].total, 290 * kNanosecond);
}

TEST_F(HostTest, AnInterruptTakesTheProcessorFromWorkUnderWay) {
  Time done = 0, handled = 0;
  simulation_.fibers().start(host_, "worker", [&] {
    host_.compute(10 * kMicrosecond);
    done = engine_.now();
  });
  // The second comes while the first is served; the third in the last moment of the work.
  for (const Time when : {4 * kMicrosecond, 5 * kMicrosecond, 13 * kMicrosecond}) {
    engine_.at(when, {},
               [&] { host_.interrupt(model_.cost("interrupt"), 0, [&] { handled = engine_.now(); }); });
  }
  EXPECT_TRUE(simulation_.run());
  EXPECT_EQ(done, 16 * kMicrosecond);
  EXPECT_EQ(handled, 15 * kMicrosecond);
}

TEST_F(HostTest, AFiberThatIsWokenDuringAnInterruptGoesOnAfterIt) {
  Time woken = 0;
  simulation_.fibers().start(host_, "waiter", [&] {
    host_.rest(host_.activity(), "news");
    woken = engine_.now();
  });
  engine_.at(kMicrosecond, {}, [&] {
    host_.interrupt(model_.cost("interrupt"), 0, [] {});
    host_.notify();
  });
  EXPECT_TRUE(simulation_.run());
  EXPECT_EQ(woken, 3 * kMicrosecond);
}

TEST_F(HostTest, ActivityBetweenLookingAndRestingIsNotMissed) {
  bool news = false;
  Time seen_at = 0;
  simulation_.fibers().start(host_, "waiter", [&] {
    for (;;) {
      const std::uint64_t seen = host_.activity();
      if (news) break;
      host_.compute(kMicrosecond);  // the looking itself costs time, in which it happens
      host_.rest(seen, "news");
    }
    seen_at = engine_.now();
  });
  engine_.at(500 * kNanosecond, {}, [&] {
    news = true;
    host_.notify();
  });
  EXPECT_TRUE(simulation_.run());
  EXPECT_EQ(seen_at, kMicrosecond);
}

TEST_F(HostTest, ARestEndsAtItsDeadlineAndAnOldDeadlineDisturbsNobody) {
  std::vector<Time> times;
  simulation_.fibers().start(host_, "waiter", [&] {
    EXPECT_FALSE(host_.rest_until(host_.activity(), 2 * kMicrosecond, "news"));
    times.push_back(engine_.now());
    EXPECT_TRUE(host_.rest_until(host_.activity(), 9 * kMicrosecond, "news"));
    times.push_back(engine_.now());
    EXPECT_FALSE(host_.rest_until(host_.activity(), 20 * kMicrosecond, "news"));
    times.push_back(engine_.now());
  });
  engine_.at(3 * kMicrosecond, {}, [&] { host_.notify(); });
  EXPECT_TRUE(simulation_.run());
  EXPECT_EQ(times, (std::vector<Time>{2 * kMicrosecond, 3 * kMicrosecond, 20 * kMicrosecond}));
}

TEST_F(HostTest, AFiberThatWaitsForNothingIsFoundAndDescribed) {
  simulation_.fibers().start(host_, "dreamer", [&] { host_.rest(host_.activity(), "better times"); });
  EXPECT_FALSE(simulation_.run());
  EXPECT_EQ(simulation_.fibers().describe_stuck(10), "  dreamer (node 0) waits for better times\n");
}

TEST_F(HostTest, EachFiberHasItsOwnContextAlsoInsideACatchBlock) {
  int caught = 0;
  for (int i = 0; i < 2; ++i) {
    simulation_.fibers().start(simulation_.host(static_cast<fabric::NodeId>(i)), "thrower", [&, i] {
      current_context.reporting_rank = i;
      try {
        throw i;
      } catch (int value) {
        Fiber::current()->sleep_until(engine_.now() + kMicrosecond);
        try {
          throw;
        } catch (int again) {
          caught += again == value && current_context.reporting_rank == i;
        }
      }
    });
  }
  EXPECT_TRUE(simulation_.run());
  EXPECT_EQ(caught, 2);
  EXPECT_EQ(current_context.reporting_rank, -1);
}

/// Takes `bytes` of stack, frame by frame.
[[gnu::noinline]] void take_stack(const volatile char* start, std::size_t bytes) {
  volatile char frame[64];
  for (volatile char& byte : frame) byte = 1;
  if (static_cast<std::size_t>(start - frame) < bytes) take_stack(start, bytes);
  frame[0] = 2;
}

void overflow_a_stack_without_guard() {
  constexpr std::size_t kStack = 64 << 10;
  const NetworkModel model = make_model();
  Engine engine;
  Accounts accounts(model);
  Host host(engine, accounts, 0);
  Fibers fibers(engine, kStack, 1);
  for (unsigned i = 0; i < 4; ++i) {
    fibers.start(host, "fiber " + std::to_string(i), [&engine, i] {
      volatile char here = 0;
      take_stack(&here, i == 2 ? kStack + 1024 : kStack / 2);
      Fiber::current()->sleep_until(engine.now() + kMicrosecond);
    });
  }
  engine.run();
}

TEST(Fibers, OneThatOverflowsAStackWithoutGuardIsNamed) {
  if (test::kSanitized) GTEST_SKIP() << "what it writes is not on the fiber's stack";
  EXPECT_EXIT(overflow_a_stack_without_guard(), ::testing::ExitedWithCode(1),
              "fiber 2 has overflowed its stack of 64 KiB");
}

TEST(Fibers, ThousandsTakeTurns) {
  const NetworkModel model = make_model();
  Simulation simulation({.model = &model, .nodes = 1000});
  std::uint64_t turns = 0;
  for (fabric::NodeId node = 0; node < 1000; ++node) {
    simulation.fibers().start(simulation.host(node), "fiber", [&] {
      for (int i = 0; i < 20; ++i) {
        Fiber::current()->sleep_until(simulation.engine().now() + 10);
        ++turns;
      }
    });
  }
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(turns, 20000u);
  EXPECT_EQ(simulation.engine().now(), 200u);
}

}  // namespace
}  // namespace aqueduct::sim
