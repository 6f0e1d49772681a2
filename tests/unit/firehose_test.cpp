// The cache of memory registrations: what is pinned is registered, what is used is never given up, limits
// hold.
#include "parts/firehose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <random>
#include <thread>

namespace aqueduct::parts {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::uintptr_t kBase = 1 << 30;

constexpr std::uintptr_t page(unsigned number) { return kBase + number * kPageBytes; }

// Keeps the books of what is registered, as an interface would.
class Registrar : public Firehose::Client {
 public:
  Firehose::Moved move(std::span<Firehose::Region> unpin_first, Firehose::Region& pin) override {
    unpin(unpin_first);
    const std::lock_guard guard(mutex_);
    if (fail_next) {
      fail_next = false;
      return Firehose::Moved::kFailed;
    }
    pin.handle = ++last_handle_;
    registered[pin.handle] = {pin.base(), pin.bytes()};
    most = std::max(most, registered.size());
    if (pending) {
      moves.push_back(&pin);
      return Firehose::Moved::kPending;
    }
    return Firehose::Moved::kDone;
  }
  void unpin(std::span<Firehose::Region> regions) override {
    const std::lock_guard guard(mutex_);
    for (const Firehose::Region& region : regions) {
      EXPECT_EQ(registered.erase(region.handle), 1u) << "given up twice, or never registered";
      last_unpinned = region.base();
    }
  }

  bool covers(const Firehose::Region& region, std::uintptr_t address, std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    const auto found = registered.find(region.handle);
    return found != registered.end() && found->second.first <= address &&
           address + bytes <= found->second.first + found->second.second;
  }

  std::map<std::uint64_t, std::pair<std::uintptr_t, std::size_t>> registered;
  std::deque<Firehose::Region*> moves;
  std::uintptr_t last_unpinned = 0;
  std::size_t most = 0;
  bool fail_next = false;
  bool pending = false;

 private:
  std::mutex mutex_;
  std::uint64_t last_handle_ = 0;
};

Firehose::Settings small(unsigned regions, unsigned pages_each) {
  return {kPageBytes, pages_each * kPageBytes, regions, SIZE_MAX};
}

// Pins and releases at once.
void touch(Firehose& firehose, std::uintptr_t address, std::size_t bytes) {
  Firehose::Request request;
  ASSERT_EQ(firehose.pin(address, bytes, &request), Firehose::Pin::kPinned);
  firehose.release(&request);
}

TEST(Firehose, ASecondUseOfTheSameMemoryRegistersNothing) {
  Registrar registrar;
  Firehose firehose(registrar, small(4, 8));
  touch(firehose, page(1) + 100, 5000);
  touch(firehose, page(1) + 200, 4000);
  touch(firehose, page(2), 1);
  EXPECT_EQ(registrar.registered.size(), 1u);
  EXPECT_EQ(firehose.statistics().hits, 2u);
  Firehose::Request request;
  EXPECT_TRUE(firehose.try_pin(page(1), kPageBytes, &request));
  firehose.release(&request);
  EXPECT_FALSE(firehose.try_pin(page(9), 1, &request));
}

TEST(Firehose, TheLeastRecentlyUsedGoesFirst) {
  Registrar registrar;
  Firehose firehose(registrar, small(3, 1));
  touch(firehose, page(10), 1);
  touch(firehose, page(20), 1);
  touch(firehose, page(30), 1);
  touch(firehose, page(10), 1);
  touch(firehose, page(40), 1);
  EXPECT_EQ(registrar.last_unpinned, page(20));
  touch(firehose, page(50), 1);
  EXPECT_EQ(registrar.last_unpinned, page(30));
  EXPECT_EQ(registrar.most, 3u);
}

TEST(Firehose, WhatIsInUseIsNeverGivenUp) {
  Registrar registrar;
  Firehose firehose(registrar, small(2, 1));
  Firehose::Request one, two, three;
  ASSERT_EQ(firehose.pin(page(1), 1, &one), Firehose::Pin::kPinned);
  ASSERT_EQ(firehose.pin(page(3), 1, &two), Firehose::Pin::kPinned);
  EXPECT_EQ(firehose.pin(page(5), 1, &three), Firehose::Pin::kBusy);
  firehose.release(&one);
  EXPECT_EQ(firehose.pin(page(5), 1, &three), Firehose::Pin::kPinned);
  EXPECT_EQ(registrar.last_unpinned, page(1));
  firehose.release(&two);
  firehose.release(&three);
}

TEST(Firehose, NeighboursGrowTogetherUpToTheMaximumAndTheOldPiecesGoFirst) {
  Registrar registrar;
  Firehose firehose(registrar, small(8, 4));
  touch(firehose, page(11), 1);
  touch(firehose, page(13), 1);
  Firehose::Request request;
  ASSERT_EQ(firehose.pin(page(12), 1, &request), Firehose::Pin::kPinned);
  EXPECT_EQ(request.region->base(), page(11));
  EXPECT_EQ(request.region->bytes(), 3 * kPageBytes);
  firehose.release(&request);
  touch(firehose, page(40), 1);  // the redundant pieces go along with any miss
  EXPECT_EQ(registrar.registered.size(), 2u);
  EXPECT_EQ(firehose.statistics().redundant, 2u);
  // Five pages would be too long: the new region stays alone.
  touch(firehose, page(14), 2 * kPageBytes);
  ASSERT_EQ(firehose.pin(page(14), 1, &request), Firehose::Pin::kPinned);
  EXPECT_EQ(request.region->base(), page(14));
  firehose.release(&request);
}

TEST(Firehose, RegionsThatMayNotGrowStayAsTheyWereAskedFor) {
  Registrar registrar;
  Firehose::Settings settings = small(8, 16);
  settings.grows = false;
  Firehose firehose(registrar, settings);
  touch(firehose, page(0), kPageBytes);
  touch(firehose, page(1), 2 * kPageBytes);
  touch(firehose, page(3), 10);
  EXPECT_EQ(registrar.registered.size(), 3u);
  for (const auto& [handle, region] : registrar.registered) EXPECT_LE(region.second, 2 * kPageBytes);
  EXPECT_EQ(firehose.inconsistency(), nullptr);
}

TEST(Firehose, APartIsPinnedAsFarAsARegionReaches) {
  Registrar registrar;
  Firehose firehose(registrar, small(4, 4));
  Firehose::Request request;
  std::size_t pinned = 0;
  ASSERT_EQ(firehose.pin_some(page(0) + 96, 10 * kPageBytes, &request, &pinned), Firehose::Pin::kPinned);
  EXPECT_EQ(pinned, 4 * kPageBytes - 96);
  firehose.release(&request);
  ASSERT_EQ(firehose.pin_some(page(2), 10 * kPageBytes, &request, &pinned), Firehose::Pin::kPinned);
  EXPECT_EQ(pinned, 2 * kPageBytes) << "what is registered is used";
  firehose.release(&request);
  EXPECT_EQ(firehose.max_pin_bytes(), 3 * kPageBytes);
}

TEST(Firehose, TheBytesTogetherAreLimited) {
  Registrar registrar;
  Firehose::Settings settings = small(16, 4);
  settings.max_bytes = 6 * kPageBytes;
  Firehose firehose(registrar, settings);
  touch(firehose, page(10), 3 * kPageBytes);
  touch(firehose, page(20), 3 * kPageBytes);
  touch(firehose, page(30), 2 * kPageBytes);
  EXPECT_EQ(firehose.statistics().bytes, 5 * kPageBytes);
  EXPECT_EQ(firehose.inconsistency(), nullptr);
}

TEST(Firehose, AFailedRegistrationLeavesNothingBehind) {
  Registrar registrar;
  Firehose firehose(registrar, small(2, 1));
  registrar.fail_next = true;
  Firehose::Request request;
  EXPECT_EQ(firehose.pin(page(1), 1, &request), Firehose::Pin::kFailed);
  EXPECT_EQ(firehose.statistics().regions, 0u);
  EXPECT_EQ(firehose.inconsistency(), nullptr);
  touch(firehose, page(1), 1);
}

TEST(Firehose, ForgetsMemoryThatGoesAway) {
  Registrar registrar;
  Firehose firehose(registrar, small(4, 2));
  touch(firehose, page(1), 1);
  Firehose::Request request;
  ASSERT_EQ(firehose.pin(page(8), 1, &request), Firehose::Pin::kPinned);
  EXPECT_TRUE(firehose.forget(page(0), 4 * kPageBytes));
  EXPECT_FALSE(firehose.forget(page(8), 1)) << "it is in use";
  firehose.release(&request);
  EXPECT_TRUE(firehose.forget(page(8), 1));
  EXPECT_TRUE(registrar.registered.empty());
}

// Memory of a peer: the answer comes later, and everybody who wants the region meanwhile waits for it.
TEST(Firehose, RequestsWaitForAPendingRegionTogether) {
  Registrar registrar;
  registrar.pending = true;
  Firehose firehose(registrar, small(4, 4));
  int told = 0, refused = 0;
  std::pair<int*, int*> counts{&told, &refused};
  const auto ready = [](Firehose::Request& request, bool pinned) {
    auto& [yes, no] = *static_cast<std::pair<int*, int*>*>(request.context);
    ++*(pinned ? yes : no);
  };
  Firehose::Request one{ready, &counts}, two{ready, &counts};
  EXPECT_EQ(firehose.pin(page(1), 2 * kPageBytes, &one), Firehose::Pin::kPending);
  EXPECT_EQ(firehose.pin(page(2), 1, &two), Firehose::Pin::kPending);
  EXPECT_EQ(registrar.moves.size(), 1u);
  EXPECT_FALSE(firehose.try_pin(page(1), 1, &two));
  firehose.moved(registrar.moves.front(), true);
  EXPECT_EQ(told, 2);
  firehose.release(&one);
  firehose.release(&two);
  EXPECT_EQ(firehose.inconsistency(), nullptr);
  Firehose::Request three{ready, &counts}, four{ready, &counts};
  EXPECT_EQ(firehose.pin(page(20), 1, &three), Firehose::Pin::kPending);
  EXPECT_EQ(firehose.pin(page(20), 1, &four), Firehose::Pin::kPending);
  registrar.registered.erase(registrar.moves.back()->handle);
  firehose.moved(registrar.moves.back(), false);
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(three.region, nullptr);
  EXPECT_EQ(firehose.inconsistency(), nullptr);
}

TEST(Firehose, RandomUseKeepsTheBooksInOrder) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    Registrar registrar;
    Firehose::Settings settings = small(2 + below(8), 1 + below(6));
    if (below(2) != 0) settings.max_bytes = settings.max_region_bytes * (1 + below(4));
    Firehose firehose(registrar, settings);
    struct Use {
      Firehose::Request request;
      std::uintptr_t address;
      std::size_t bytes;
    };
    std::vector<std::unique_ptr<Use>> uses;
    for (int i = 0; i < 300; ++i) {
      if (below(3) != 0 || uses.empty()) {
        auto use = std::make_unique<Use>();
        use->address = page(below(24)) + below(kPageBytes);
        std::size_t bytes = 1 + below(static_cast<unsigned>(settings.max_region_bytes));
        registrar.fail_next = below(20) == 0;
        const Firehose::Pin pinned = firehose.pin_some(use->address, bytes, &use->request, &use->bytes);
        registrar.fail_next = false;
        if (pinned == Firehose::Pin::kPinned) uses.push_back(std::move(use));
      } else {
        const unsigned which = below(static_cast<unsigned>(uses.size()));
        firehose.release(&uses[which]->request);
        uses.erase(uses.begin() + which);
      }
      ASSERT_EQ(firehose.inconsistency(), nullptr);
      ASSERT_LE(registrar.registered.size(), settings.max_regions);
      for (const auto& use : uses) {
        ASSERT_TRUE(registrar.covers(*use->request.region, use->address, use->bytes));
      }
    }
    for (const auto& use : uses) firehose.release(&use->request);
    ASSERT_EQ(registrar.registered.size(), firehose.statistics().regions);
  }
}

TEST(Firehose, ThreadsMayShareIt) {
  Registrar registrar;
  Firehose firehose(registrar, small(6, 4));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (unsigned thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(thread);
      for (int i = 0; i < 2000; ++i) {
        std::atomic<int> state{0};
        Firehose::Request request{[](Firehose::Request& mine, bool pinned) {
                                    static_cast<std::atomic<int>*>(mine.context)->store(pinned ? 1 : 2);
                                  },
                                  &state};
        const std::uintptr_t address = page(static_cast<unsigned>(random() % 16));
        switch (firehose.pin(address, kPageBytes, &request)) {
          case Firehose::Pin::kPending:
            while (state.load() == 0) std::this_thread::yield();
            [[fallthrough]];
          case Firehose::Pin::kPinned:
            if (!registrar.covers(*request.region, address, kPageBytes)) wrong.fetch_add(1);
            firehose.release(&request);
            break;
          default:
            break;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(firehose.inconsistency(), nullptr);
}

}  // namespace
}  // namespace aqueduct::parts
