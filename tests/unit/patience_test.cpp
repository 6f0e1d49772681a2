// What threads learn from sleeping.
#include "base/patience.hpp"

#include <gtest/gtest.h>

namespace aqueduct {
namespace {

const Patience kUsual = Patience::choose(2, 2, false);

TEST(Insistence, OutlastsAWakeUpThatWasLongerThanItself) {
  constexpr std::uint64_t kWakeUpNs = 390'000;
  Insistence insistence;
  EXPECT_EQ(insistence.extra_ns(), 0u);
  insistence.came_after(kWakeUpNs, kUsual);
  EXPECT_GT(insistence.extra_ns(), kWakeUpNs);
  const std::uint64_t learned = insistence.extra_ns();
  insistence.came_after(1000, kUsual);
  EXPECT_EQ(insistence.extra_ns(), learned) << "a short one does not make it forget a longer one";
}

TEST(Insistence, HasALimitAndForgetsWhenNothingComesSoon) {
  Insistence insistence;
  insistence.came_after(kUsual.insist_max_ns / 2, kUsual);
  EXPECT_EQ(insistence.extra_ns(), kUsual.insist_max_ns);
  for (unsigned sleeps = 0; sleeps < 64; ++sleeps) insistence.came_after(1'000'000'000, kUsual);
  EXPECT_EQ(insistence.extra_ns(), 0u);
}

TEST(Insistence, IsNoneWhereCoresAreShared) {
  const Patience shared = Patience::choose(16, 2, false);
  Insistence insistence;
  insistence.came_after(100'000, shared);
  EXPECT_EQ(insistence.extra_ns(), 0u);
}

TEST(Patience, OfAClientThatBlocksYieldsAtOnceAndForAWhile) {
  for (const unsigned ranks : {2u, 16u}) {
    const Patience blocking = Patience::blocking(ranks, 2);
    EXPECT_EQ(blocking.polls, 1u);
    EXPECT_GE(blocking.yield_ns, 100'000u) << "else every answer would cost a wake-up";
    EXPECT_TRUE(blocking.may_sleep);
  }
}

}  // namespace
}  // namespace aqueduct
