// The audit at the end of a simulated job: what it finds, what it waits for, and what it leaves alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "models.hpp"
#include "sim/simulated_job.hpp"
#include "world/world.hpp"

namespace aqueduct::sim {
namespace {

/// A rank that holds so much of one thing, and gives one back in each look; and that lends another thing.
struct Holder final : world::Resident {
  explicit Holder(unsigned how_many) : held(how_many) {}
  void describe(observe::RankState&) override {}
  void is_leaving() override { is_gone = true; }
  void settle() override {
    EXPECT_TRUE(is_gone);
    held -= std::min(held, gives_back);
    ++looks;
  }
  std::string audit(observe::ResourceCounts& all) override {
    observe::ResourceCounts now, before;
    now.holds("buffers", 3);
    now.holds("tokens", held);
    now.lends("credits", taken, given);
    before.holds("buffers", 3);
    before.holds("tokens", 0);
    all.add(now);
    return now.difference(before);
  }

  unsigned held, gives_back = 0, looks = 0;
  std::uint64_t taken = 0, given = 0;
  bool is_gone = false;
};

class Audit : public testing::Test {
 protected:
  /// Rank r has holders_[r].
  JobResult run(const std::function<int(RankId)>& end = [](RankId) { return 0; }) {
    job_.emplace(simulation_, JobOptions{.at_end = [this] { was_called_ = true; }});
    return job_->run([&](RankId rank) {
      world::current().resident.reset(holders_[rank] = new Holder(held_[rank]));
      prepare(*holders_[rank], rank);
      Fiber::current()->sleep_until(kMicrosecond);
      return end(rank);
    });
  }

  static constexpr RankId kRanks = 3;
  const NetworkModel model_ = make_model();
  Simulation simulation_{{.model = &model_, .nodes = kRanks}};
  std::optional<SimulatedJob> job_;
  Holder* holders_[kRanks] = {};
  unsigned held_[kRanks] = {};
  std::function<void(Holder&, RankId)> prepare = [](Holder&, RankId) {};
  bool was_called_ = false;
};

TEST_F(Audit, AJobThatHoldsNothingIsNotLookedAt) {
  EXPECT_TRUE(run().ok());
  EXPECT_EQ(holders_[0]->looks, 0u);
  EXPECT_TRUE(was_called_);
}

TEST_F(Audit, WhatIsNeverGivenBackFailsTheJobWithItsName) {
  held_[1] = 2;
  const JobResult result = run();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.kind, JobResult::Kind::kHeld);
  EXPECT_EQ(result.held, "rank 1: tokens: 2 are held, and 0 were at the start");
}

TEST_F(Audit, WhatIsStillUnderWayIsWaitedFor) {
  held_[2] = 5;
  prepare = [](Holder& holder, RankId) { holder.gives_back = 1; };
  EXPECT_TRUE(run().ok());
  EXPECT_EQ(holders_[2]->looks, 5u);
}

TEST_F(Audit, WhatRanksLendEachOtherIsComparedOverAllOfThem) {
  prepare = [](Holder& holder, RankId rank) {
    (rank == 0 ? holder.taken : holder.given) = rank == 0 ? 4 : 2;
  };
  EXPECT_TRUE(run().ok());
}

TEST_F(Audit, ALoanThatNobodyHasFailsTheJob) {
  prepare = [](Holder& holder, RankId rank) { holder.taken = rank; };
  EXPECT_EQ(run().held, "credits: ranks have 3 of each other, and have lent 0");
}

TEST_F(Audit, AJobThatFailsIsNotAudited) {
  held_[1] = 1;
  const JobResult result = run([](RankId rank) { return rank == 2 ? 7 : 0; });
  EXPECT_EQ(result.kind, JobResult::Kind::kExited);
  EXPECT_EQ(result.code, 7);
}

TEST_F(Audit, NorIsOneThatEndsInTheMiddleOfItsTraffic) {
  held_[1] = 1;
  const JobResult result = run([](RankId) {
    world::current().exit(0);
    return 0;
  });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(holders_[1]->looks, 0u);
}

TEST_F(Audit, ItsTimeIsNotTheJobs) {
  held_[1] = 3;
  prepare = [](Holder& holder, RankId) { holder.gives_back = 1; };
  EXPECT_TRUE(run().ok());
  EXPECT_EQ(simulation_.engine().now(), kMicrosecond);
  EXPECT_EQ(simulation_.engine().events(), 2u * kRanks);
}

}  // namespace
}  // namespace aqueduct::sim
