// Which ranks wait, as their supervisor sees it.
#include "job/supervision/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/place/shared_memory.hpp"

namespace {

using namespace aqueduct;
using job::Activity;

class Waiting : public testing::Test {
 protected:
  void SetUp() override {
    fd_ = job::create_shared_memory();
    ASSERT_GE(fd_, 0);
    rank_ = static_cast<Activity*>(job::map_shared(fd_, job::kActivityPlace, 2 * sizeof(Activity), "a test"));
    seen_ = std::make_unique<job::HostMemory>(net::Descriptor(dup(fd_)), std::vector<RankId>{0, 1});
  }
  void TearDown() override {
    munmap(rank_, 2 * sizeof(Activity));
    close(fd_);
  }
  bool waits(RankId rank) {
    seen_->look();
    return seen_->is_waiting(rank);
  }

  int fd_ = -1;
  Activity* rank_ = nullptr;
  std::unique_ptr<job::HostMemory> seen_;
};

TEST_F(Waiting, NobodyWaitsAtTheFirstLook) {
  rank_[0].begin_wait();
  rank_[1].count_idle_call();
  EXPECT_FALSE(waits(0));
  EXPECT_FALSE(seen_->is_waiting(1));
}

TEST_F(Waiting, ARankInOneWaitWaits) {
  rank_[1].begin_wait();
  seen_->look();
  EXPECT_TRUE(waits(1));
  EXPECT_FALSE(seen_->is_waiting(0));
  EXPECT_TRUE(waits(1));
  rank_[1].end_wait();
  EXPECT_FALSE(waits(1));
}

TEST_F(Waiting, ARankThatWaitsAgainAndAgainDoesNot) {
  rank_[0].begin_wait();
  seen_->look();
  rank_[0].end_wait();
  rank_[0].begin_wait();
  EXPECT_FALSE(waits(0));
}

TEST_F(Waiting, OneOfSeveralThreadsIsEnough) {
  rank_[0].begin_wait();
  rank_[0].begin_wait();
  seen_->look();
  rank_[0].end_wait();
  EXPECT_TRUE(waits(0));
}

TEST_F(Waiting, ARankThatLooksInVainWaits) {
  rank_[0].count_idle_call();
  seen_->look();
  EXPECT_FALSE(waits(0));
  rank_[0].count_idle_call();
  EXPECT_TRUE(waits(0));
  EXPECT_FALSE(waits(0));
}

TEST_F(Waiting, MemoryThatARankHasCutOffHarmsNobody) {
  ASSERT_EQ(ftruncate(fd_, 0), 0);
  EXPECT_FALSE(waits(0));
}

}  // namespace
