// The doorbell: no wake-up is lost, whenever the ring comes.
#include "base/doorbell.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace aqueduct {
namespace {

constexpr std::uint64_t kLongSleep =
    20'000'000'000;  // a lost wake-up is a failure of its own kind: it takes this long

struct FencesRegistered {
  FencesRegistered() { register_for_heavy_fences(); }
} fences_registered;

TEST(Doorbell, ASleepEndsWhenItsTimeIsOver) {
  Doorbell bell;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(bell.sleep(bell.announce(), 20'000'000));
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(15));
}

TEST(Doorbell, ARingAfterTheAnnouncementEndsTheSleepAtOnce) {
  Doorbell bell;
  const auto before = std::chrono::steady_clock::now();
  const std::uint32_t seen = bell.announce();
  bell.ring_if_needed();
  EXPECT_TRUE(bell.sleep(seen, kLongSleep));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST(Doorbell, WakesWhoeverWaitsForWorkHoweverTheyMeet) {
  Doorbell bell;
  std::atomic<int> work{0};
  constexpr int kRounds = 3000;
  std::thread worker([&] {
    for (int round = 1; round <= kRounds; ++round) {
      while (work.load(std::memory_order_acquire) < round) {
        const std::uint32_t seen = bell.announce();
        if (work.load(std::memory_order_acquire) >= round) {
          bell.withdraw();
        } else {
          bell.sleep(seen, kLongSleep);
        }
      }
    }
  });
  const auto before = std::chrono::steady_clock::now();
  for (int round = 1; round <= kRounds; ++round) {
    work.store(round, std::memory_order_release);
    bell.ring_if_needed();
    if (round % 4 == 0) {
      const timespec pause{0, (round % 64) * 500};  // falls into every stage of going to sleep
      nanosleep(&pause, nullptr);
    }
  }
  worker.join();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15)) << "a wake-up was lost";
}

TEST(Doorbell, WakesAllWhoSleep) {
  Doorbell bell;
  std::atomic<bool> go{false};
  std::atomic<int> awake{0};
  {
    std::vector<std::jthread> sleepers;
    for (int i = 0; i < 4; ++i)
      sleepers.emplace_back([&] {
        while (!go.load(std::memory_order_acquire)) {
          const std::uint32_t seen = bell.announce();
          if (go.load(std::memory_order_acquire)) {
            bell.withdraw();
          } else {
            bell.sleep(seen, kLongSleep);
          }
        }
        ++awake;
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    go.store(true, std::memory_order_release);
    bell.ring_if_needed();
  }
  EXPECT_EQ(awake, 4);
}

}  // namespace
}  // namespace aqueduct
