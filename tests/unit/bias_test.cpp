// The privilege of the only thread, and how it is lost.
#include "core/mailbox/bias.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace aqueduct::core {
namespace {

TEST(Bias, LetsTheFirstThreadRunWhileItIsAlone) {
  Bias bias;
  int runs = 0;
  EXPECT_TRUE(bias.run_alone([&] { ++runs; }));
  EXPECT_TRUE(bias.run_alone([&] { EXPECT_TRUE(bias.run_alone([&] { ++runs; })); }));
  EXPECT_EQ(runs, 2);
}

TEST(Bias, IsLostForGoodWhenAnotherThreadComes) {
  Bias bias;
  std::thread([&] { bias.revoke(); }).join();
  int runs = 0;
  EXPECT_FALSE(bias.run_alone([&] { ++runs; }));
  EXPECT_EQ(runs, 0);
}

// A thread may come while it holds a lock that the first thread, inside, is waiting for.
TEST(Bias, LetsNewcomersComeWhileTheFirstThreadIsInside) {
  Bias bias;
  EXPECT_TRUE(bias.run_alone([&] { std::thread([&] { bias.revoke(); }).join(); }));
  EXPECT_FALSE(bias.run_alone([] {}));
}

// `guarded` is not atomic: if the newcomers did not wait for the first thread to be outside, its sum would be
// wrong now and then, and ThreadSanitizer would say so at once.
TEST(Bias, MakesNewcomersWaitUntilTheFirstThreadIsOutside) {
  register_for_heavy_fences();
  for (int round = 0; round < 100; ++round) {
    Bias bias;
    long guarded = 0;
    long by_first = 0;
    std::atomic<bool> first_runs{false};
    std::thread first([&] {
      while (bias.run_alone([&] {
        ++guarded;
        ++by_first;
      })) {
        first_runs.store(true, std::memory_order_release);
      }
    });
    while (!first_runs.load(std::memory_order_acquire)) std::this_thread::yield();
    std::thread other([&] {
      bias.revoke();
      bias.wait_until_lost();
    });
    bias.revoke();
    bias.wait_until_lost();
    for (int i = 0; i < 1000; ++i) ++guarded;
    first.join();
    other.join();
    ASSERT_EQ(guarded, by_first + 1000);
  }
}

}  // namespace
}  // namespace aqueduct::core
