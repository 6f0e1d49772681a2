// Active messages over ports: what is sent is delivered once and answered, by threads at once and whatever
// its size; what is malformed names its sender.
#include "conduit/over_port.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "fabric/shm/port.hpp"
#include "parts/am_codec.hpp"
#include "portals3/unruly_fabric.hpp"

namespace aqueduct::conduit {
namespace {

constexpr RankId kRanks = 3;
constexpr std::size_t kLongRoom = kLimitsOverPort.max_long;

/// Counts what comes, and answers requests with handler 1. The first argument of each is its payload's byte.
class Rank final : public am::Receiver {
 public:
  Rank(std::byte* shared, RankId self, const OverPortOptions& options = {})
      : Rank(std::make_shared<fabric::shm::ShmPort>(shared, self, kRanks), self, options) {}
  Rank(fabric::Port& port, RankId self)
      : Rank(std::shared_ptr<fabric::Port>(std::shared_ptr<void>(), &port), self) {}
  Rank(const std::shared_ptr<fabric::Port>& port, RankId self, const OverPortOptions& options = {})
      : segment_(kRanks * kLongRoom), conduit_(over_port("test", port, *this, options)) {
    SegmentBounds segments[kRanks];
    segments[self] = {reinterpret_cast<std::uintptr_t>(segment_.data()), segment_.size()};
    conduit_->segments_attached(segments);
  }

  void deliver(const am::Message& message, const am::Origin& origin) override {
    const auto* const bytes = static_cast<const std::byte*>(message.payload);
    for (std::size_t i = 0; i < message.payload_bytes; i += 97) {
      if (bytes[i] != static_cast<std::byte>(message.args[0])) ++damaged;
    }
    if (message.category == am::Category::kLong) ++longs_of[static_cast<RankId>(message.args[0])];
    if (message.is_reply) {
      ++replies;
      return;
    }
    ++requests;
    if (message.handler != 1) return;
    am::Message reply{am::Category::kMedium, true, 2, 1, message.args, message.payload,
                      message.payload_bytes};
    if (message.category == am::Category::kLong) reply.payload_bytes = 0;
    while (conduit_->reply(origin, reply) == am::Post::kRetry) conduit_->poll(am::Scope::kReplies);
  }

  /// Where a Long of this source may land, once those before it were read: `longs_of` counts them.
  std::byte* room_for(RankId source) { return segment_.data() + source * kLongRoom; }
  Conduit& conduit() { return *conduit_; }

  std::atomic<unsigned> requests{0}, replies{0}, damaged{0};
  std::array<std::atomic<unsigned>, kRanks> longs_of{};

 private:
  std::vector<std::byte> segment_;
  std::unique_ptr<Conduit> conduit_;
};

/// What ranks hold, or have of each other and did not lend, when nothing is under way; empty: nothing.
std::string held_by(std::deque<Rank>& ranks) {
  observe::ResourceCounts all;
  for (Rank& rank : ranks) {
    observe::ResourceCounts counts;
    rank.conduit().count_resources(counts);
    if (const std::string held = counts.difference({}); !held.empty()) return held;
    all.add(counts);
  }
  return all.imbalance();
}

class OverPortTest : public testing::Test {
 protected:
  std::string held_in_the_end() { return held_by(ranks_); }

  OverPortTest() {
    shared_ =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (RankId rank = 0; rank < kRanks; ++rank) ranks_.emplace_back(static_cast<std::byte*>(shared_), rank);
  }
  ~OverPortTest() override {
    ranks_.clear();
    ::munmap(shared_, bytes_);
  }

  std::size_t bytes_ = fabric::shm::ShmPort::bytes_for(kRanks);
  void* shared_;
  std::deque<Rank> ranks_;
};

TEST_F(OverPortTest, ThreadsThatSendAtOnceLoseNothing) {
  constexpr unsigned kThreads = 2, kEach = 1500;
  std::atomic<unsigned> expected_replies{0}, busy{kRanks * kThreads};
  const auto all_is_there = [&] {
    unsigned requests = 0, replies = 0;
    for (const Rank& rank : ranks_) {
      requests += rank.requests;
      replies += rank.replies;
    }
    return busy == 0 && requests == kRanks * kThreads * kEach && replies == expected_replies;
  };
  const auto work = [&](RankId self, unsigned thread) {
    std::mt19937 random(self * kThreads + thread);
    Conduit& conduit = ranks_[self].conduit();
    std::array<unsigned, kRanks> longs_to{};
    const std::vector<std::byte> long_payload(kLongRoom, static_cast<std::byte>(self));
    for (unsigned i = 0; i < kEach; ++i) {
      const RankId target = random() % kRanks;
      const bool wants_reply = random() % 3 == 0;
      const auto category = static_cast<am::Category>(random() % 64 == 0 ? 2 : random() % 2);
      const auto args = static_cast<std::int32_t>(self);
      am::Message message{category, false, static_cast<std::uint8_t>(wants_reply), 1, &args};
      if (category != am::Category::kShort) {
        message.payload = long_payload.data();
        message.payload_bytes = random() % (category == am::Category::kMedium ? 4096 : kLongRoom);
      }
      if (category == am::Category::kLong && thread == 0) {
        while (ranks_[target].longs_of[self] != longs_to[target]) conduit.poll(am::Scope::kAll);
        ++longs_to[target];
        message.destination = ranks_[target].room_for(self);
      } else if (category == am::Category::kLong) {
        message.category = am::Category::kMedium;
        message.payload_bytes = 4096;
      }
      expected_replies += wants_reply;
      while (conduit.inject(target, message) == am::Post::kRetry) conduit.poll(am::Scope::kAll);
    }
    --busy;
    while (!all_is_there()) {
      if (conduit.poll(am::Scope::kAll) == 0) std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  for (RankId rank = 0; rank < kRanks; ++rank) {
    for (unsigned thread = 0; thread < kThreads; ++thread) threads.emplace_back(work, rank, thread);
  }
  for (std::thread& thread : threads) thread.join();
  for (Rank& rank : ranks_) {
    EXPECT_EQ(rank.damaged, 0u);
    for (RankId peer = 0; peer < kRanks; ++peer) rank.conduit().poll(am::Scope::kAll);
  }
  EXPECT_EQ(held_in_the_end(), "");
}

// A network that has no room now and then: what was taken for a message is given back.
TEST(OverPortRefusals, LeaveNothingBehind) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    test::UnrulyFabric fabric({.nodes = 2, .seed = seed, .inline_bytes = 64, .retry_percent = 40});
    std::deque<Rank> ranks;
    for (RankId rank = 0; rank < 2; ++rank) ranks.emplace_back(fabric.port(rank), rank);
    unsigned steps = 0;
    const auto advance = [&] {
      ++steps;
      fabric.step();
      for (Rank& rank : ranks) rank.conduit().poll(am::Scope::kAll);
    };
    const std::vector<std::byte> payload(3000, std::byte{7});
    const std::int32_t byte = 7;
    for (unsigned i = 0; i < 300; ++i) {
      // Without a reply, so that credits are owed; with one, which takes them along; or with a payload.
      am::Message message{i % 3 == 2 ? am::Category::kMedium : am::Category::kShort, false,
                          static_cast<std::uint8_t>(i % 4 == 1), 1, &byte};
      if (message.category == am::Category::kMedium) {
        message.payload = payload.data();
        message.payload_bytes = payload.size();
      }
      while (ranks[i / 7 % 2].conduit().inject(1 - i / 7 % 2, message) == am::Post::kRetry) {
        advance();
        ASSERT_LT(steps, 100'000u) << "request " << i << " finds no room";
      }
    }
    for (unsigned i = 0; i < 5000; ++i) advance();
    EXPECT_EQ(ranks[0].requests + ranks[1].requests, 300u);
    EXPECT_EQ(held_by(ranks), "");
  }
}

// Who waits meanwhile rests after many polls that find nothing: it would keep those waiting that it serves.
TEST_F(OverPortTest, APollThatServesAPutOrAGetHasFoundSomething) {
  Rank asks(static_cast<std::byte*>(shared_), 0, {.has_rma = true});
  Rank serves(static_cast<std::byte*>(shared_), 1, {.has_rma = true});
  EXPECT_EQ(serves.conduit().poll(am::Scope::kAll), 0u);
  unsigned done = 0;
  const auto count = [](void* counter) { ++*static_cast<unsigned*>(counter); };
  std::byte here{7};
  const auto finds_something = [&] {
    unsigned found = 0;
    for (const unsigned before = done; done == before; asks.conduit().poll(am::Scope::kAll))
      found += serves.conduit().poll(am::Scope::kAll);
    return found != 0;
  };
  ASSERT_EQ(asks.conduit().rma()->put(1, serves.room_for(0), &here, 1, Reuse::kAtReturn, count, &done),
            am::Post::kDone);
  EXPECT_TRUE(finds_something());
  ASSERT_EQ(asks.conduit().rma()->get(1, &here, serves.room_for(0), 1, count, &done), am::Post::kDone);
  EXPECT_TRUE(finds_something());
  EXPECT_EQ(*serves.room_for(0), std::byte{7});
}

TEST_F(OverPortTest, WhatIsLentToARankThatHasDiedIsGivenBack) {
  Conduit& conduit = ranks_[0].conduit();
  const std::vector<std::byte> payload(kLongRoom, std::byte{5});
  const std::int32_t byte = 5;
  am::Unreleased unreleased{0};
  am::Message message{am::Category::kLong, false, 0, 1, &byte, payload.data(), payload.size()};
  message.destination = ranks_[1].room_for(0);
  message.is_lent = true;
  message.unreleased = &unreleased;
  const auto poll = [&] {
    for (int i = 0; i < 3; ++i) conduit.poll(am::Scope::kAll);
  };
  ASSERT_EQ(conduit.inject(1, message), am::Post::kDone);
  poll();
  EXPECT_EQ(unreleased, 1u);
  conduit.has_died(1);
  poll();
  EXPECT_EQ(unreleased, 0u);
}

/// Keeps payloads until it is asked for them.
class KeepingPort final : public fabric::Port {
 public:
  fabric::Traits traits() const override { return {.nodes = kRanks}; }
  fabric::NodeId self() const override { return 0; }
  unsigned distance(fabric::NodeId) const override { return 1; }
  void set_client(fabric::PortClient& its_client) override { client = &its_client; }
  fabric::Post send(fabric::NodeId, std::span<const std::byte>, std::span<const fabric::Piece>,
                    std::uint64_t cookie) override {
    kept.push_back(cookie);
    return fabric::Post::kDone;
  }
  void accept(std::uint64_t, std::span<const fabric::Piece>, std::size_t, std::uint64_t) override {}
  void discard(std::uint64_t) override {}
  unsigned progress() override { return 0; }

  bool awaits(std::uint64_t cookie) const { return client->awaits_sent(cookie); }
  /// How many of those kept.
  std::ptrdiff_t awaited() const {
    return std::count_if(kept.begin(), kept.end(), [this](std::uint64_t cookie) { return awaits(cookie); });
  }

  fabric::PortClient* client = nullptr;
  std::vector<std::uint64_t> kept;
};

// Other reports need wake nobody.
TEST(OverPortReports, AreAwaitedWhereNoMorePayloadsMayBeKeptOrOneIsLent) {
  const auto port = std::make_shared<KeepingPort>();
  Rank rank(port, 0, {.credits = 100});
  const std::int32_t byte = 3;
  const std::byte payload{3};
  am::Message message{am::Category::kMedium, false, 0, 1, &byte, &payload, 1};
  while (port->kept.size() < 31) ASSERT_EQ(rank.conduit().inject(1, message), am::Post::kDone);
  EXPECT_EQ(port->awaited(), 0);
  ASSERT_EQ(rank.conduit().inject(1, message), am::Post::kDone);
  EXPECT_EQ(rank.conduit().inject(1, message), am::Post::kRetry);
  EXPECT_EQ(port->awaited(), 32);
  for (int i = 0; i < 2; ++i) {
    port->client->sent(port->kept.back());
    port->kept.pop_back();
  }
  EXPECT_EQ(port->awaited(), 0);
  am::Unreleased unreleased{0};
  message.is_lent = true;
  message.unreleased = &unreleased;
  ASSERT_EQ(rank.conduit().inject(1, message), am::Post::kDone);
  EXPECT_TRUE(port->awaits(port->kept.back()));
  EXPECT_EQ(port->awaited(), 1);
  EXPECT_FALSE(port->awaits(fabric::kNoReport));
  for (const std::uint64_t cookie : port->kept) port->client->sent(cookie);
  EXPECT_EQ(unreleased, 0u);
}

TEST_F(OverPortTest, SaysWhoseAnswersAreMissing) {
  Conduit& conduit = ranks_[0].conduit();
  EXPECT_TRUE(conduit.awaits().empty());
  const std::int32_t no_payload = 0;
  const am::Message request{am::Category::kShort, false, 1, 1, &no_payload};
  ASSERT_EQ(conduit.inject(2, request), am::Post::kDone);
  ASSERT_EQ(conduit.inject(2, request), am::Post::kDone);
  EXPECT_EQ(conduit.awaits(), (std::vector<observe::Missing>{{2, "2 replies or credits"}}));
  while (ranks_[2].requests != 2) ranks_[2].conduit().poll(am::Scope::kAll);
  while (ranks_[0].replies != 2) conduit.poll(am::Scope::kAll);
  EXPECT_TRUE(conduit.awaits().empty());
}

TEST_F(OverPortTest, EndsWithALineThatNamesWhoSentWhatIsMalformed) {
  std::byte header[parts::kMostHeaderBytes];
  const auto receive = [&](std::span<const std::byte> bytes) {
    fabric::shm::ShmPort sender(static_cast<std::byte*>(shared_), 1, kRanks);
    ASSERT_EQ(sender.send(0, bytes, {}, 0), fabric::Post::kDone);
    for (int i = 0; i < 1000; ++i) ranks_[0].conduit().poll(am::Scope::kAll);
  };
  const std::byte* const end = parts::encode_header(header, parts::AmKind::kCredits, {}, 1);
  EXPECT_EXIT(receive({header, end}), testing::ExitedWithCode(1),
              "in test.*: a message from rank 1 is malformed: more credits come back than were lent");
  EXPECT_EXIT(receive({header, end - 1}), testing::ExitedWithCode(1),
              "in test.*: a message from rank 1 is malformed: it is shorter than its head");
}

}  // namespace
}  // namespace aqueduct::conduit
