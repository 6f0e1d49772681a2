// What threads learn from sleeping.
#include "base/wait_policy.hpp"

#include <gtest/gtest.h>

namespace aqueduct {
namespace {

const WaitPolicy kUsual = WaitPolicy::choose(2, 2, false);

TEST(SpinBudget, OutlastsAWakeUpThatWasLongerThanItself) {
  constexpr std::uint64_t kWakeUpNs = 390'000;
  SpinBudget spin_budget;
  EXPECT_EQ(spin_budget.extra_ns(), 0u);
  spin_budget.came_after(kWakeUpNs, kUsual);
  EXPECT_GT(spin_budget.extra_ns(), kWakeUpNs);
  const std::uint64_t learned = spin_budget.extra_ns();
  spin_budget.came_after(1000, kUsual);
  EXPECT_GE(spin_budget.extra_ns(), learned) << "a short one does not make it forget a longer one";
}

TEST(SpinBudget, GrowsWithEachShortSleepSoThatAStreamOfThemEnds) {
  SpinBudget spin_budget;
  for (unsigned sleeps = 0; sleeps < 12; ++sleeps) spin_budget.came_after(2'000, kUsual);
  EXPECT_EQ(spin_budget.extra_ns(), kUsual.spin_max_ns);
}

TEST(SpinBudget, HasALimitAndForgetsWhenNothingComesSoon) {
  SpinBudget spin_budget;
  spin_budget.came_after(kUsual.spin_max_ns / 2, kUsual);
  EXPECT_EQ(spin_budget.extra_ns(), kUsual.spin_max_ns);
  for (unsigned sleeps = 0; sleeps < 64; ++sleeps) spin_budget.came_after(1'000'000'000, kUsual);
  EXPECT_EQ(spin_budget.extra_ns(), 0u);
}

TEST(SpinBudget, IsNoneWhereCoresAreShared) {
  const WaitPolicy shared = WaitPolicy::choose(16, 2, false);
  SpinBudget spin_budget;
  spin_budget.came_after(100'000, shared);
  EXPECT_EQ(spin_budget.extra_ns(), 0u);
}

TEST(WaitPolicy, LetsFruitlessCallsYieldOnlyWhereThreadsShareCores) {
  EXPECT_EQ(WaitPolicy::fruitless_calls_to_yield(2, 2), 0u);
  EXPECT_EQ(WaitPolicy::fruitless_calls_to_yield(16, 16), 0u);
  EXPECT_NE(WaitPolicy::fruitless_calls_to_yield(3, 2), 0u);
  EXPECT_NE(WaitPolicy::fruitless_calls_to_yield(std::uint64_t{1} << 33, 2), 0u);
}

TEST(WaitPolicy, OfAClientThatBlocksYieldsAtOnceAndForAWhile) {
  for (const unsigned ranks : {2u, 16u}) {
    const WaitPolicy blocking = WaitPolicy::blocking(ranks, 2);
    EXPECT_EQ(blocking.polls, 1u);
    EXPECT_GE(blocking.yield_ns, 100'000u) << "else every answer would cost a wake-up";
    EXPECT_TRUE(blocking.may_sleep);
  }
}

}  // namespace
}  // namespace aqueduct
