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
#include <set>
#include <thread>
#include <vector>

#include "fabric/shm/port.hpp"
#include "parts/am_codec.hpp"
#include "portals3/unruly_fabric.hpp"

namespace aqueduct::conduit {
namespace {

constexpr RankId kRanks = 3;
constexpr std::size_t kLongRoom = kLimitsOverPort.max_long;
constexpr std::size_t kRoom = kLongRoom + 100;  // more than a put copies

/// Counts what comes, and answers requests with handler 1. The first argument of each is its payload's byte.
class Rank final : public am::Receiver {
 public:
  Rank(std::byte* shared, RankId self, const OverPortOptions& options = {})
      : Rank(std::make_shared<fabric::shm::ShmPort>(shared, self, kRanks), self, options) {}
  Rank(fabric::Port& port, RankId self)
      : Rank(std::shared_ptr<fabric::Port>(std::shared_ptr<void>(), &port), self) {}
  Rank(const std::shared_ptr<fabric::Port>& port, RankId self, const OverPortOptions& options = {})
      : segment_(kRanks * kRoom), conduit_(over_port("test", port, *this, options)) {
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
  std::byte* room_for(RankId source) { return segment_.data() + source * kRoom; }
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

/// A port of an unruly network that knows posted places, and in which something happens whenever a rank
/// looks.
class PostingPort final : public fabric::Port {
 public:
  /// What all ports of the network have posted is in `posted`.
  PostingPort(test::UnrulyFabric& fabric, RankId self, std::set<std::uint64_t>& posted)
      : fabric_(fabric), port_(fabric.port(self)), posted_(posted) {}

  fabric::Traits traits() const override { return port_.traits(); }
  fabric::NodeId self() const override { return port_.self(); }
  unsigned distance(fabric::NodeId node) const override { return port_.distance(node); }
  void set_client(fabric::PortClient& client) override { port_.set_client(client); }
  fabric::Post send(fabric::NodeId target, std::span<const std::byte> header,
                    std::span<const fabric::Piece> payload, std::uint64_t cookie) override {
    return port_.send(target, header, payload, cookie);
  }
  fabric::Post send_placed(fabric::NodeId target, std::span<const std::byte> header,
                           std::span<const fabric::Piece> payload, const fabric::Place& place,
                           fabric::Release release, std::uint64_t cookie) override {
    EXPECT_EQ(release, fabric::Release::kWhenSent) << "this port copies nothing";
    const fabric::Post post = port_.send(target, header, payload, cookie);
    if (post == fabric::Post::kDone && place.kind == fabric::Place::Kind::kPosted) posted_.erase(place.at);
    return post;
  }
  std::uint64_t post(fabric::NodeId, const fabric::Piece&) override {
    posted_.insert(++names_ << 8 | self());
    return names_ << 8 | self();
  }
  void withdraw(std::uint64_t place) override { EXPECT_EQ(posted_.erase(place), 1u); }
  void accept(std::uint64_t arrival, std::span<const fabric::Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie) override {
    port_.accept(arrival, where, keep_bytes, cookie);
  }
  void discard(std::uint64_t arrival) override { port_.discard(arrival); }
  unsigned progress() override { return fabric_.step() ? 1 : 0; }

 private:
  test::UnrulyFabric& fabric_;
  fabric::Port& port_;
  std::set<std::uint64_t>& posted_;
  std::uint64_t names_ = 0;
};

/// Ranks with put and get over an unruly network.
struct Movers {
  explicit Movers(const test::UnrulyFabric::Options& options) : fabric(options) {
    for (RankId rank = 0; rank < options.nodes; ++rank) {
      ranks.emplace_back(std::make_shared<PostingPort>(fabric, rank, posted), rank,
                         OverPortOptions{.has_rma = true});
    }
  }
  /// Until it holds; false: never.
  template <class Condition>
  bool advance_until(Condition&& condition) {
    for (unsigned steps = 0; !condition(); ++steps) {
      if (steps == 100'000) return false;
      for (Rank& rank : ranks) rank.conduit().poll(am::Scope::kAll);
    }
    return true;
  }

  test::UnrulyFabric fabric;
  std::set<std::uint64_t> posted;
  std::deque<Rank> ranks;
};

void count_one(void* counter) { ++*static_cast<unsigned*>(counter); }

// On a network without room now and then, in which things happen in any order. A source is overwritten as
// soon as it is its owner's again: when put() returns, or when it is counted no more.
TEST(OverPortRma, MovesWhatWasThereAndLeavesNothingBehind) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Movers movers({.nodes = 2, .seed = seed, .inline_bytes = 64, .retry_percent = 40, .in_order = false});
    std::mt19937 random(static_cast<unsigned>(seed));
    constexpr std::size_t kSizes[] = {1, 64, 65, 3000, kRoom};
    for (unsigned round = 0; round < 40; ++round) {
      const RankId from = random() % 2, to = 1 - from;
      Rma& rma = *movers.ranks[from].conduit().rma();
      const auto value = static_cast<std::byte>(1 + random() % 250);
      // Two puts and a get, each in a room of its own.
      std::vector<std::byte> mine[3];
      std::byte* there[3];
      for (RankId room = 0; room < 3; ++room) {
        mine[room].assign(kSizes[random() % std::size(kSizes)], room < 2 ? value : std::byte{0});
        there[room] = movers.ranks[to].room_for(room);
        std::fill_n(there[room], mine[room].size(), room < 2 ? std::byte{0} : value);
      }
      const auto spoil = [&](unsigned room) { std::ranges::fill(mine[room], std::byte{0xff}); };
      const auto is_there = [&](unsigned room) {
        return std::all_of(there[room], there[room] + mine[room].size(),
                           [&](std::byte b) { return b == value; });
      };
      unsigned done = 0;
      am::Unreleased unreleased{0};
      ASSERT_TRUE(movers.advance_until([&] {
        return rma.put(to, there[0], mine[0].data(), mine[0].size(), Reuse::kAtReturn, count_one, &done) ==
               am::Post::kDone;
      }));
      spoil(0);
      ASSERT_TRUE(movers.advance_until([&] {
        return rma.put(to, there[1], mine[1].data(), mine[1].size(), Reuse::counted(unreleased), count_one,
                       &done) == am::Post::kDone;
      }));
      ASSERT_TRUE(movers.advance_until([&] {
        return rma.get(to, mine[2].data(), there[2], mine[2].size(), count_one, &done) == am::Post::kDone;
      }));
      ASSERT_TRUE(movers.advance_until([&] { return unreleased == 0; })) << "a source stays counted";
      spoil(1);
      ASSERT_TRUE(movers.advance_until([&] { return done == 3; })) << "an answer is missing";
      EXPECT_TRUE(is_there(0) && is_there(1)) << "puts of " << mine[0].size() << " and " << mine[1].size();
      EXPECT_TRUE(std::ranges::all_of(mine[2], [&](std::byte b) { return b == value; }));
    }
    ASSERT_TRUE(movers.advance_until([&] { return !movers.fabric.step(); }));
    EXPECT_EQ(held_by(movers.ranks), "");
    EXPECT_EQ(movers.posted.size(), 0u);
    EXPECT_EQ(movers.fabric.unanswered(), 0u);
  }
}

// More answers than the network has room for, which wait for it.
TEST(OverPortRma, AnswersEveryGetThoughItHasNoRoomForMost) {
  Movers movers({.nodes = 2, .seed = 1, .inline_bytes = 64, .retry_percent = 80, .in_order = false});
  std::byte came[50] = {};
  unsigned done = 0;
  std::fill_n(movers.ranks[1].room_for(0), sizeof came, std::byte{9});
  for (unsigned i = 0; i < sizeof came; ++i) {
    ASSERT_TRUE(movers.advance_until([&] {
      return movers.ranks[0].conduit().rma()->get(1, &came[i], movers.ranks[1].room_for(0) + i, 1, count_one,
                                                  &done) == am::Post::kDone;
    }));
  }
  EXPECT_TRUE(movers.advance_until([&] { return done == sizeof came; })) << done;
  for (const std::byte one : came) EXPECT_EQ(one, std::byte{9});
  EXPECT_EQ(held_by(movers.ranks), "");
}

TEST(OverPortRma, EndsWithALineThatNamesWhoSentWhatIsMalformed) {
  enum Kind : std::uint8_t { kPut = 1, kPutDone, kGet, kGetData };
  struct Head {
    std::uint8_t mark = 0xf5;
    Kind kind = kPut;
    std::uint16_t spare = 0;
    std::uint32_t operation = 0;
    std::uint64_t address = 0, bytes = 0, place = 0;
  };
  // Rank 0 has put 100 bytes to rank 1, which has not answered, when this comes.
  const auto receive = [](RankId source, Head head, std::size_t payload_bytes,
                          std::size_t head_bytes = sizeof(Head)) {
    Movers movers({.nodes = 3, .inline_bytes = 64});
    const std::vector<std::byte> mine(100);
    unsigned done = 0;
    ASSERT_EQ(movers.ranks[0].conduit().rma()->put(1, movers.ranks[1].room_for(0), mine.data(), mine.size(),
                                                   Reuse::kWhenDone, count_one, &done),
              am::Post::kDone);
    head.address += reinterpret_cast<std::uintptr_t>(movers.ranks[0].room_for(0));
    movers.fabric.forge(source, 0, std::as_bytes(std::span(&head, 1)).first(head_bytes), payload_bytes);
    movers.fabric.step();  // the put arrives
    movers.fabric.step();
  };
  const auto ends_with = [&](const char* line, RankId source, const Head& head, std::size_t payload_bytes) {
    EXPECT_EXIT(receive(source, head, payload_bytes), testing::ExitedWithCode(1), line);
  };
  ends_with("a message from rank 2 is malformed: it answers what was not asked", 2,
            {.kind = kPutDone, .bytes = 100}, 0);
  ends_with("a message from rank 1 is malformed: it answers what was not asked", 1,
            {.kind = kPutDone, .bytes = 99}, 0);
  ends_with("a message from rank 1 is malformed: it answers what was not asked", 1,
            {.kind = kGetData, .bytes = 100}, 100);
  ends_with("a message from rank 1 is malformed: it answers what was not asked", 1,
            {.kind = kPutDone, .operation = 1, .bytes = 100}, 0);
  constexpr std::uint64_t kLast = kRanks * kRoom - 1;
  ends_with("a message from rank 1 is malformed: it names memory outside the segment", 1,
            {.kind = kPut, .address = kLast, .bytes = 2}, 2);
  ends_with("a message from rank 1 is malformed: it names memory outside the segment", 1,
            {.kind = kGet, .address = kLast, .bytes = 2}, 0);
  ends_with("a message from rank 1 is malformed: it has not the size that its head says", 1,
            {.kind = kPut, .bytes = 2}, 3);
  EXPECT_EXIT(receive(1, {}, 0, sizeof(Head) - 1), testing::ExitedWithCode(1),
              "a message from rank 1 is malformed: it is not as long as a put or get");
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
