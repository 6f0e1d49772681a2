// Which cores ranks get, on machines that we do not have.
#include "job/place/binding.hpp"

#include <gtest/gtest.h>

namespace {

using aqueduct::job::BindingPlan;
using aqueduct::job::Core;
using aqueduct::job::CpuSet;
using aqueduct::job::NarrowBinding;
using aqueduct::job::plan_binding;

/// Two packages of two cores of two hardware threads each, numbered as Linux does.
const std::vector<Core> kServer = {{0, {0, 4}}, {0, {1, 5}}, {1, {2, 6}}, {1, {3, 7}}};

using Sets = std::vector<CpuSet>;

TEST(Binding, AutoSharesTheCoresOutSideBySide) {
  EXPECT_EQ(plan_binding("auto", 2, kServer).of_rank, (Sets{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(plan_binding("auto", 4, kServer).of_rank, (Sets{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(plan_binding("auto", 3, kServer).of_rank, (Sets{{0, 4}, {1, 5}, {2, 3, 6, 7}}));
}

TEST(Binding, AutoLeavesOneRankAndTooManyRanksAlone) {
  EXPECT_EQ(plan_binding("auto", 1, kServer).of_rank, Sets(1));
  EXPECT_EQ(plan_binding("auto", 5, kServer).of_rank, Sets(5));
}

TEST(Binding, AutoGivesAllCoresToARankWithThreadsThatHasOneCore) {
  const CpuSet all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(plan_binding("auto", 4, kServer).of_threaded_rank, (Sets{all, all, all, all}));
  EXPECT_EQ(plan_binding("auto", 3, kServer).of_threaded_rank, (Sets{all, all, {2, 3, 6, 7}}));
  EXPECT_EQ(plan_binding("auto", 2, kServer).of_threaded_rank, plan_binding("auto", 2, kServer).of_rank);
  EXPECT_EQ(plan_binding("auto", 5, kServer).of_threaded_rank, Sets(5));
}

TEST(Binding, WhatTheUserAsksForHoldsForThreadsToo) {
  for (const char* how : {"none", "compact", "spread", "6,1-2"}) {
    const BindingPlan plan = plan_binding(how, 4, kServer);
    EXPECT_EQ(plan.of_threaded_rank, plan.of_rank) << how;
  }
}

TEST(Binding, OfOneThreadIsReadAsItIsWritten) {
  const NarrowBinding binding({3}, {0, 1, 2, 3, 6});
  EXPECT_TRUE(binding);
  EXPECT_EQ(binding.text(), "3/0-3,6");
  ASSERT_TRUE(NarrowBinding::parse("3/0-3,6"));
  EXPECT_EQ(NarrowBinding::parse("3/0-3,6")->text(), "3/0-3,6");
  for (const char* text : {"", "/", "3", "3/", "/3", "3/a", "3/0/1"})
    EXPECT_FALSE(NarrowBinding::parse(text)) << text;
}

TEST(Binding, NoneBindsNobody) { EXPECT_EQ(plan_binding("none", 3, kServer).of_rank, Sets(3)); }

TEST(Binding, CompactTakesOneCoreAfterTheOther) {
  EXPECT_EQ(plan_binding("compact", 2, kServer).of_rank, (Sets{{0, 4}, {1, 5}}));
  EXPECT_EQ(plan_binding("compact", 5, kServer).of_rank, (Sets{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 4}}));
}

TEST(Binding, SpreadKeepsRanksApart) {
  EXPECT_EQ(plan_binding("spread", 2, kServer).of_rank, (Sets{{0, 4}, {2, 6}}));
  EXPECT_EQ(plan_binding("spread", 5, kServer).of_rank, (Sets{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 4}}));
}

TEST(Binding, ListGivesHardwareThreadsInItsOrder) {
  const BindingPlan plan = plan_binding("6,1-2", 4, kServer);
  EXPECT_EQ(plan.of_rank, (Sets{{6}, {1}, {2}, {6}}));
  EXPECT_EQ(plan.cpus_shared, 3u);
}

TEST(Binding, MalformedListsAreRefused) {
  for (const char* list : {"", ",", "1,", ",1", "1-", "-1", "2-1", "1;2", "a", "1 ", "99999999999"}) {
    EXPECT_NE(plan_binding(list, 2, kServer).error, "") << list;
  }
}

TEST(Binding, CoresThatAreNotOursAreRefused) {
  EXPECT_EQ(plan_binding("0,8", 2, kServer).error, "cannot bind ranks to core 8: this process may use 0-7");
}

TEST(Binding, UsableCoresHoldEachHardwareThreadOnce) {
  const std::vector<Core> cores = aqueduct::job::usable_cores();
  std::vector<int> seen;
  for (const Core& core : cores) seen.insert(seen.end(), core.cpus.begin(), core.cpus.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen.size(), aqueduct::job::count_cpus(cores));
  EXPECT_FALSE(seen.empty());
}

}  // namespace
