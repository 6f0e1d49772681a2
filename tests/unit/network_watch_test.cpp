// Sleeping at a network that has a descriptor: who sleeps is woken by the network as well as by the bell.
#include "core/network_watch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace aqueduct::core {
namespace {

constexpr std::uint64_t kForEver = 600'000'000'000;

// A network whose descriptor is the end of a pipe.
class PipeNetwork final : public conduit::Conduit {
 public:
  PipeNetwork() { EXPECT_EQ(::pipe(ends_), 0); }
  ~PipeNetwork() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void bring_something() { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }

  conduit::Limits limits() const override { return {}; }
  conduit::Post inject(RankId, const conduit::Message&) override { return conduit::Post::kRetry; }
  conduit::Post reply(const conduit::Origin&, const conduit::Message&) override {
    return conduit::Post::kRetry;
  }
  unsigned poll(conduit::Scope) override {
    char byte;
    return ::read(ends_[0], &byte, 1) == 1 ? 1 : 0;
  }
  int wake_descriptor() override { return ends_[0]; }
  bool may_sleep() override { return has_nothing; }

  std::atomic<bool> has_nothing{true};

 private:
  int ends_[2];
};

class Watched : public testing::TestWithParam<bool> {
 protected:
  bool sleep(std::uint64_t ns = kForEver) { return watch_.sleep(watch_.bell().announce(), ns); }

  PipeNetwork network_;
  NetworkWatch watch_{network_, nullptr, GetParam()};
};

TEST_P(Watched, WhatComesFromTheNetworkEndsASleepEachTime) {
  for (int i = 0; i < 100; ++i) {
    std::thread other([&] { network_.bring_something(); });
    EXPECT_TRUE(sleep());
    other.join();
    EXPECT_EQ(network_.poll(conduit::Scope::kAll), 1u);
    EXPECT_FALSE(watch_.bell().has_sleepers());
  }
}

TEST_P(Watched, WhatHasComeBeforeEndsItAtOnce) {
  network_.bring_something();
  EXPECT_TRUE(sleep());
}

TEST_P(Watched, NobodySleepsWhereTheDescriptorWouldNotTell) {
  network_.has_nothing = false;
  EXPECT_TRUE(sleep());
  EXPECT_FALSE(watch_.bell().has_sleepers());
}

TEST_P(Watched, TheTimeMayEndASleep) {
  EXPECT_FALSE(sleep(1'000'000));
  EXPECT_FALSE(watch_.bell().has_sleepers());
}

INSTANTIATE_TEST_SUITE_P(, Watched, testing::Bool(),
                         [](const auto& is_alone) { return is_alone.param ? "Alone" : "WithOthers"; });

TEST(NetworkWatch, ARingEndsASleepAlso) {
  PipeNetwork network;
  Doorbell bell;
  NetworkWatch watch(network, &bell, false);
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t seen = bell.announce();
    std::thread neighbour([&] { bell.ring_if_needed(); });
    EXPECT_TRUE(watch.sleep(seen, kForEver));
    neighbour.join();
    // The watch is still at the network; what comes now wakes nobody but is there for the next.
    network.bring_something();
    EXPECT_EQ(network.poll(conduit::Scope::kAll), 1u);
  }
}

TEST(NetworkWatch, SeveralThreadsMaySleep) {
  PipeNetwork network;
  Doorbell bell;
  NetworkWatch watch(network, &bell, false);
  std::atomic<int> woken{0};
  std::thread sleepers[3];
  for (std::thread& sleeper : sleepers) {
    sleeper = std::thread([&] {
      EXPECT_TRUE(watch.sleep(bell.announce(), kForEver));
      ++woken;
    });
  }
  network.bring_something();
  for (std::thread& sleeper : sleepers) sleeper.join();
  EXPECT_EQ(woken, 3);
}

}  // namespace
}  // namespace aqueduct::core
