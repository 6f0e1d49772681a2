// The watcher: whoever sleeps is woken by what comes, and a rank that computes is stood in for.
#include "fabric/udp/watcher.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <random>
#include <thread>

namespace aqueduct::fabric::udp {
namespace {

constexpr std::uint64_t kLongSleep = 20'000'000'000;  // what takes this long has been lost

struct FencesRegistered {
  FencesRegistered() { register_for_heavy_fences(); }
} fences_registered;

/// A socket at which `send()` makes something come, and where it lands when somebody has looked.
class Network final : public Watched {
 public:
  int wake_fd() const override { return socket_.get(); }
  std::uint64_t deadline_ns() const override { return deadline_.load(); }
  std::uint64_t looks() const override { return looks_.load(); }
  unsigned service() override {
    ++looks_;
    if (deadline_.load() <= machine_clock().now_ns()) deadline_ = kNever;
    eventfd_t came = 0;
    if (::eventfd_read(socket_.get(), &came) != 0) return 0;
    landed_ += came;
    return 1;
  }

  void send() { ::eventfd_write(socket_.get(), 1); }
  std::uint64_t landed() const { return landed_.load(); }
  void set_deadline(std::uint64_t ns) { deadline_ = ns; }

 private:
  net::Descriptor socket_{::eventfd(0, EFD_NONBLOCK)};
  std::atomic<std::uint64_t> deadline_{kNever};
  std::atomic<std::uint64_t> looks_{0};
  std::atomic<std::uint64_t> landed_{0};
};

class WatcherTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(watcher.start()); }

  /// As a rank does. False: has slept in vain.
  bool wait_for(std::uint64_t landed, unsigned looks) {
    for (unsigned i = 0; i < looks; ++i) {
      network.service();
      if (network.landed() >= landed) return true;
    }
    while (network.landed() < landed) {
      const std::uint32_t seen = bell.announce();
      network.service();
      if (network.landed() >= landed) {
        bell.withdraw();
        return true;
      }
      if (!bell.sleep(seen, kLongSleep)) return false;
    }
    return true;
  }

  Network network;
  Doorbell bell;
  Watcher watcher{network, bell, machine_clock()};
};

TEST_F(WatcherTest, WhatComesWakesASleeper) {
  for (std::uint64_t i = 1; i <= 20; ++i) {
    std::thread peer([&] {
      while (!bell.has_sleepers()) std::this_thread::yield();
      network.send();
    });
    EXPECT_TRUE(wait_for(i, 0));
    peer.join();
  }
}

TEST_F(WatcherTest, NoWakeUpIsLostWheneverItComes) {
  constexpr std::uint64_t kMessages = 3000;
  std::atomic<std::uint64_t> answered{0};
  std::thread peer([&] {
    std::minstd_rand random(7);
    for (std::uint64_t i = 1; i <= kMessages; ++i) {
      for (unsigned pause = random() % 4096; pause > 0; --pause)
        std::atomic_signal_fence(std::memory_order_seq_cst);
      network.send();
      while (answered.load() < i) std::this_thread::yield();
    }
  });
  std::minstd_rand random(8);
  bool was_in_time = true;
  for (std::uint64_t i = 1; i <= kMessages; ++i) {
    was_in_time = wait_for(i, random() % 3) && was_in_time;
    answered = i;
  }
  peer.join();
  EXPECT_TRUE(was_in_time);
}

TEST_F(WatcherTest, StandsInForARankThatComputes) {
  network.send();
  while (network.landed() < 1) std::this_thread::yield();
  network.send();  // and goes on doing so
  while (network.landed() < 2) std::this_thread::yield();
}

TEST_F(WatcherTest, KeepsDeadlinesOfARankThatComputes) {
  for (int i = 0; i < 5; ++i) {
    network.set_deadline(machine_clock().now_ns() + 1'000'000);
    while (network.deadline_ns() != Watched::kNever) std::this_thread::yield();
  }
}

TEST_F(WatcherTest, KeepsDeadlinesOfARankThatSleeps) {
  std::thread peer([&] {
    while (!bell.has_sleepers()) std::this_thread::yield();
    while (network.deadline_ns() != Watched::kNever) std::this_thread::yield();
    network.send();
  });
  network.set_deadline(machine_clock().now_ns() + 20'000'000);
  EXPECT_TRUE(wait_for(1, 0));
  peer.join();
}

// A rank that only polls sees to its socket itself: the watcher is called to duty only where a slow machine
// has kept the rank from looking for long.
TEST_F(WatcherTest, LeavesARankThatPollsAlone) {
  std::uint64_t longest_ns = 0, last_ns = machine_clock().now_ns();
  const std::uint64_t end_ns = last_ns + 50 * Watcher::kWatchNs;
  const std::uint64_t before = watcher.duties();
  while (last_ns < end_ns) {
    network.service();
    const std::uint64_t now_ns = machine_clock().now_ns();
    longest_ns = std::max(longest_ns, now_ns - last_ns);
    last_ns = now_ns;
  }
  if (longest_ns < Watcher::kWatchNs / 2) {
    EXPECT_LE(watcher.duties() - before, 1u);
  }
}

TEST(Watcher, SeveralInOneProcessHaveTheirOwnDoorbells) {
  Network networks[2];
  Doorbell bells[2];
  Watcher first(networks[0], bells[0], machine_clock()), second(networks[1], bells[1], machine_clock());
  ASSERT_TRUE(first.start() && second.start());
  for (unsigned i = 0; i < 2; ++i) {
    std::thread peer([&] {
      while (!bells[i].has_sleepers()) std::this_thread::yield();
      networks[i].send();
    });
    while (networks[i].landed() == 0) {
      const std::uint32_t seen = bells[i].announce();
      networks[i].service();
      if (networks[i].landed() != 0) {
        bells[i].withdraw();
      } else {
        EXPECT_TRUE(bells[i].sleep(seen, kLongSleep));
      }
    }
    peer.join();
  }
}

}  // namespace
}  // namespace aqueduct::fabric::udp
