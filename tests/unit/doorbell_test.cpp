// The doorbell: no wake-up is lost, whenever the ring comes.
#include "base/doorbell.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace aqueduct {
namespace {

std::function<void()> during_fence;

}  // namespace

// The linker puts this in the place of heavy_fence(), so that a test can act at the moment of the fence.
extern "C" {
void __real__ZN8aqueduct11heavy_fenceEv();
void __wrap__ZN8aqueduct11heavy_fenceEv() {
  if (during_fence) during_fence();
  __real__ZN8aqueduct11heavy_fenceEv();
}
}

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

TEST(Doorbell, WhoeverWithdrawsSleepsThereNoMore) {
  Doorbell bell;
  EXPECT_FALSE(bell.has_sleepers());
  bell.announce();
  EXPECT_TRUE(bell.has_sleepers());
  bell.withdraw();
  EXPECT_FALSE(bell.has_sleepers());
}

// The order on which base/fence.hpp builds, without luck: the sleeper is known before its fence, and looks
// for work after it. So a ringer at that moment sees the sleeper, and what was published before is seen by
// the sleeper.
TEST(Doorbell, ASleeperIsKnownBeforeItsFenceAndLooksAfterIt) {
  Doorbell bell;
  unsigned fences = 0;
  during_fence = [&] {
    ++fences;
    EXPECT_TRUE(bell.has_sleepers());
    bell.ring_if_needed();
  };
  const std::uint32_t seen = bell.announce();
  during_fence = nullptr;
  EXPECT_EQ(fences, 1u) << "announce() has no fence between the store and the look";
  EXPECT_TRUE(bell.sleep(seen, 1)) << "the ring at the fence was missed";
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

// The two sides of a rank's sleep at the same moment, over and over: one has published and then looks for
// sleepers, the other is announced and then looks for work. Whatever the processor does with its stores, one
// of the two notices the other.
TEST(Doorbell, EitherTheRingerSeesTheSleeperOrTheSleeperSeesTheWork) {
  Doorbell bell;
  constexpr std::uint64_t kRounds = 50'000;
  struct alignas(2 * kCacheLine) Line {
    std::atomic<std::uint64_t> round{0};
  };
  Line work, started, rung;
  std::thread ringer([&] {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      for (unsigned spins = 0; started.round.load(std::memory_order_acquire) < round;) {
        if (++spins % 1024 == 0) std::this_thread::yield();
        (void)bell.has_sleepers();  // this line is here when it is needed, that of the work is not
      }
      work.round.store(round, std::memory_order_release);
      bell.ring_if_needed();
      rung.round.store(round, std::memory_order_release);
    }
  });
  std::uint64_t lost = 0;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    started.round.store(round, std::memory_order_release);
    // Long enough, in some rounds, for both to act at the same moment.
    for (volatile std::uint64_t delay = round % 128; delay > 0;) delay = delay - 1;
    const std::uint32_t seen = bell.announce();
    const bool found = work.round.load(std::memory_order_acquire) >= round;
    for (unsigned spins = 0; rung.round.load(std::memory_order_acquire) < round;) {
      if (++spins % 1024 == 0) std::this_thread::yield();
    }
    // Whoever was to ring has done so.
    lost += !bell.sleep(seen, 1) && !found;
  }
  ringer.join();
  EXPECT_EQ(lost, 0u);
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
