// The fabric between processes, here between threads: every message arrives once, in order and whole.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/spin_lock.hpp"
#include "fabric/shm/port.hpp"

namespace aqueduct::fabric::shm {
namespace {

constexpr std::size_t kLargest = 5 * kChunkBytes + 77;

/// What the nodes of a job share.
class Memory {
 public:
  explicit Memory(NodeId nodes) : bytes_(ShmPort::bytes_for(nodes)) {
    memory_ =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Memory() { ::munmap(memory_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::byte* get() const { return static_cast<std::byte*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Bytes that differ from seed to seed and from place to place, made in blocks because a sanitizer counts
/// each.
std::vector<std::byte> patterned(std::uint64_t seed, std::size_t bytes) {
  constexpr std::size_t kPeriod = 509;
  std::byte block[kPeriod];
  for (std::size_t i = 0; i < kPeriod; ++i) block[i] = static_cast<std::byte>(seed * 31 + i * 7 + i / 251);
  std::vector<std::byte> data(bytes);
  for (std::size_t at = 0; at < bytes; at += kPeriod)
    std::memcpy(data.data() + at, block, std::min(kPeriod, bytes - at));
  return data;
}

/// The same memory in pieces of odd sizes, some of them empty.
std::vector<Piece> cut(std::vector<std::byte>& data) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  for (std::size_t part = 1; at < data.size(); part = part * 3 + 1) {
    const std::size_t bytes = std::min(part, data.size() - at);
    pieces.push_back({data.data() + at, bytes});
    pieces.push_back({nullptr, 0});
    at += bytes;
  }
  return pieces;
}

/// A node whose interface does what the test says and remembers what it was told.
class Node : public PortClient {
 public:
  Node(const Memory& memory, NodeId self, NodeId nodes) : port(memory.get(), self, nodes) {
    port.set_client(*this);
  }

  void arrived(const Arrival& arrival) override {
    if (on_arrival) return on_arrival(arrival);
    arrivals.push_back(arrival.id);
    port.discard(arrival.id);
  }
  void landed(std::uint64_t cookie, Outcome outcome) override {
    EXPECT_EQ(outcome, Outcome::kOk);
    landings.push_back(cookie);
  }
  void sent(std::uint64_t cookie) override { sends.push_back(cookie); }
  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override { FAIL(); }

  bool send(NodeId target, std::uint64_t number, std::span<const Piece> payload, std::uint64_t cookie) {
    return port.send(target, std::as_bytes(std::span(&number, 1)), payload, cookie) == Post::kDone;
  }

  ShmPort port;
  std::function<void(const Arrival&)> on_arrival;
  std::vector<std::uint64_t> arrivals, landings, sends;
};

class ShmFabric : public testing::Test {
 protected:
  void move_everything() {
    for (int round = 0; round < 200; ++round) {
      a.port.progress();
      b.port.progress();
    }
  }

  Memory memory{2};
  Node a{memory, 0, 2};
  Node b{memory, 1, 2};
};

TEST_F(ShmFabric, PayloadsOfAllSizesArriveWholeInWhateverPieces) {
  std::vector<std::byte> received;
  std::vector<Piece> where;
  b.on_arrival = [&](const Arrival& arrival) {
    std::uint64_t number;
    ASSERT_EQ(arrival.header.size(), sizeof number);
    std::memcpy(&number, arrival.header.data(), sizeof number);
    EXPECT_EQ(arrival.payload_bytes, number);
    EXPECT_EQ(arrival.source, 0u);
    EXPECT_EQ(arrival.inline_payload != nullptr, arrival.payload_bytes <= b.port.traits().inline_bytes);
    if (arrival.inline_payload && number != 0) {
      EXPECT_EQ(arrival.inline_payload[number - 1], patterned(number, number).back());
    }
    received.assign(arrival.payload_bytes, std::byte{0});
    where = cut(received);
    b.port.accept(arrival.id, where, arrival.payload_bytes, 500 + number);
  };
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{239}, std::size_t{240}, std::size_t{241},
        kBesideBytes - 1, kBesideBytes, kBesideBytes + 1, kChunkBytes, kChunkBytes + 1, kChunks * kChunkBytes,
        kLargest, std::size_t{3} << 20}) {
    SCOPED_TRACE(bytes);
    std::vector<std::byte> payload = patterned(bytes, bytes);
    const std::vector<std::byte> expected = payload;
    ASSERT_TRUE(a.send(1, bytes, cut(payload), bytes));
    if (bytes <= a.port.traits().copied_bytes) payload.assign(bytes, std::byte{0xee});
    move_everything();
    EXPECT_EQ(received, expected);
    EXPECT_EQ(b.landings, std::vector<std::uint64_t>{500 + bytes});
    EXPECT_EQ(a.sends, std::vector<std::uint64_t>{bytes});
    b.landings.clear();
    a.sends.clear();
  }
}

TEST_F(ShmFabric, WhatIsNotKeptIsNotTouched) {
  for (const std::size_t bytes : {std::size_t{100}, kBesideBytes, kLargest}) {
    for (const std::size_t keep : {std::size_t{0}, std::size_t{1}, std::size_t{99}}) {
      std::vector<std::byte> received(bytes, std::byte{0x55});
      b.on_arrival = [&](const Arrival& arrival) {
        const Piece piece{received.data(), received.size()};
        b.port.accept(arrival.id, {&piece, 1}, keep, 1);
      };
      std::vector<std::byte> payload = patterned(3, bytes);
      ASSERT_TRUE(a.send(1, 0, cut(payload), 2));
      move_everything();
      EXPECT_EQ(std::memcmp(received.data(), payload.data(), keep), 0);
      EXPECT_EQ(
          std::count(received.begin() + static_cast<std::ptrdiff_t>(keep), received.end(), std::byte{0x55}),
          static_cast<std::ptrdiff_t>(bytes - keep));
    }
  }
  EXPECT_EQ(b.landings.size(), 9u);
  EXPECT_EQ(a.sends.size(), 9u);
}

TEST_F(ShmFabric, ADiscardedPayloadGivesItsMemoryBack) {
  std::vector<std::byte> payload = patterned(1, kLargest);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(a.send(1, i, cut(payload), i));
    move_everything();
  }
  EXPECT_EQ(b.arrivals.size(), 100u);
  EXPECT_EQ(a.sends.size(), 100u);
  EXPECT_TRUE(b.landings.empty());
}

TEST_F(ShmFabric, LargePayloadsForANodeThatHasDiedAreGivenBackOnce) {
  constexpr std::size_t kMoreThanChunksHold = (kChunks + 1) * kChunkBytes;
  std::vector<std::byte> waits = patterned(1, kLargest), moves = patterned(2, kMoreThanChunksHold);
  std::vector<std::byte> room(kMoreThanChunksHold);
  const Piece where{room.data(), room.size()};
  b.on_arrival = [&](const Arrival& arrival) { b.port.accept(arrival.id, {&where, 1}, room.size(), 7); };
  ASSERT_TRUE(a.send(1, 0, cut(moves), 10));
  b.port.progress();  // asks for it, and takes none of its parts
  a.port.progress();
  ASSERT_TRUE(a.send(1, 1, cut(waits), 11));
  a.port.progress();
  EXPECT_TRUE(a.sends.empty());
  a.port.forget(1);
  a.port.forget(1);
  for (int round = 0; round < 3; ++round) a.port.progress();
  EXPECT_EQ(a.sends, (std::vector<std::uint64_t>{10, 11}));
}

TEST_F(ShmFabric, WhatIsSentToANodeThatHasDiedIsDropped) {
  std::vector<std::byte> payload = patterned(1, kLargest);
  std::vector<std::uint64_t> expected;
  a.port.forget(1);
  for (std::uint64_t i = 0; i < 2 * kSlots; ++i) {
    ASSERT_TRUE(a.send(1, i, i % 2 == 0 ? cut(payload) : std::vector<Piece>{}, i));
    expected.push_back(i);
  }
  move_everything();
  EXPECT_EQ(a.sends, expected);
  EXPECT_TRUE(b.arrivals.empty());
}

TEST_F(ShmFabric, HeadersOfAllSizesKeepTheirBytes) {
  std::vector<std::byte> seen;
  b.on_arrival = [&](const Arrival& arrival) {
    seen.assign(arrival.header.begin(), arrival.header.end());
    EXPECT_EQ(arrival.inline_payload[0], std::byte{9});
    b.port.discard(arrival.id);
  };
  std::byte nine{9};
  const Piece piece{&nine, 1};
  for (std::size_t bytes = 0; bytes <= kMaxHeader; ++bytes) {
    const std::vector<std::byte> header = patterned(bytes, bytes);
    ASSERT_EQ(a.port.send(1, header, {&piece, 1}, 0), Post::kDone);
    move_everything();
    EXPECT_EQ(seen, header);
  }
}

TEST_F(ShmFabric, AFullRingSaysRetryAndTakesNothing) {
  std::uint64_t taken = 0;
  while (a.send(1, taken, {}, taken)) ASSERT_LT(++taken, 100'000u);
  EXPECT_EQ(taken, kSlots);
  std::vector<std::uint64_t> order;
  b.on_arrival = [&](const Arrival& arrival) {
    std::uint64_t number;
    std::memcpy(&number, arrival.header.data(), sizeof number);
    order.push_back(number);
    b.port.discard(arrival.id);
  };
  move_everything();
  ASSERT_EQ(order.size(), taken);
  for (std::uint64_t i = 0; i < taken; ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(a.send(1, 0, {}, 0));
}

TEST_F(ShmFabric, AnArrivalMayBeAnsweredLateAndOutOfOrder) {
  std::vector<Arrival> waiting;
  b.on_arrival = [&](const Arrival& arrival) { waiting.push_back(arrival); };
  std::vector<std::byte> small = patterned(1, 50), large = patterned(2, kLargest);
  ASSERT_TRUE(a.send(1, 0, cut(large), 0));
  ASSERT_TRUE(a.send(1, 1, cut(small), 1));
  move_everything();
  ASSERT_EQ(waiting.size(), 2u);
  std::vector<std::byte> got_small(50), got_large(kLargest);
  b.port.accept(waiting[1].id, cut(got_small), 50, 1);
  move_everything();
  EXPECT_EQ(b.landings, (std::vector<std::uint64_t>{1}));
  b.port.accept(waiting[0].id, cut(got_large), kLargest, 0);
  move_everything();
  EXPECT_EQ(b.landings, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(got_small, small);
  EXPECT_EQ(got_large, large);
}

TEST_F(ShmFabric, ANodeReachesItself) {
  std::vector<std::byte> received(kLargest), payload = patterned(4, kLargest);
  a.on_arrival = [&](const Arrival& arrival) {
    EXPECT_EQ(arrival.source, 0u);
    a.port.accept(arrival.id, cut(received), kLargest, 7);
  };
  ASSERT_TRUE(a.send(0, 1, cut(payload), 6));
  move_everything();
  EXPECT_EQ(received, payload);
  EXPECT_EQ(a.landings, std::vector<std::uint64_t>{7});
}

TEST_F(ShmFabric, ManyLargePayloadsShareTheWay) {
  std::vector<std::vector<std::byte>> payloads, received(40);
  for (std::size_t i = 0; i < 40; ++i) payloads.push_back(patterned(i, kBesideBytes + 1 + i * 5000));
  b.on_arrival = [&](const Arrival& arrival) {
    std::uint64_t number;
    std::memcpy(&number, arrival.header.data(), sizeof number);
    received[number].resize(arrival.payload_bytes);
    b.port.accept(arrival.id, cut(received[number]), arrival.payload_bytes, number);
  };
  for (std::size_t i = 0; i < 40; ++i) {
    for (int tries = 0; !a.send(1, i, cut(payloads[i]), i); ++tries) {
      ASSERT_LT(tries, 10'000);
      a.port.progress();
      b.port.progress();
    }
  }
  move_everything();
  EXPECT_EQ(received, payloads);
  EXPECT_EQ(a.sends.size(), 40u);
}

// Each node has two threads that send, move and sleep. Every message carries its number among those from its
// thread to its target, and a payload that follows from it.
class Crowd {
 public:
  static constexpr NodeId kNodes = 3;
  static constexpr unsigned kThreads = 2;

  explicit Crowd(std::uint64_t messages) : messages_(messages), memory_(kNodes) {
    for (NodeId node = 0; node < kNodes; ++node) members_.push_back(std::make_unique<Member>(*this, node));
  }

  void run() {
    std::vector<std::thread> threads;
    for (auto& member : members_) {
      for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { member->live(i); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::uint64_t landed() const { return landed_.load(); }
  std::uint64_t expected() const { return std::uint64_t{kNodes} * kThreads * messages_; }

 private:
  struct Header {
    std::uint32_t thread;
    std::uint64_t number;
  };
  struct Outgoing {
    std::vector<std::byte> payload;
  };
  struct Incoming {
    std::uint64_t seed = 0;
    std::vector<std::byte> payload;
  };

  static std::size_t size_of(std::uint64_t seed) {
    constexpr std::size_t kSizes[] = {0, 8, 100, 300, kBesideBytes, kBesideBytes + 1, kLargest};
    return kSizes[seed * 2654435761u / 1024 % std::size(kSizes)];
  }
  static std::uint64_t seed_of(NodeId from, unsigned thread, NodeId to, std::uint64_t number) {
    return ((number * kNodes + to) * kThreads + thread) * kNodes + from;
  }

  class Member final : public PortClient {
   public:
    Member(Crowd& crowd, NodeId self) : crowd_(crowd), self_(self), port_(crowd.memory_.get(), self, kNodes) {
      port_.set_client(*this);
    }

    void live(unsigned thread) {
      std::minstd_rand random(self_ * kThreads + thread + 1);
      std::uint64_t numbers[kNodes] = {};
      for (std::uint64_t i = 0; i < crowd_.messages_; ++i) {
        const auto target = static_cast<NodeId>(random() % kNodes);
        const std::uint64_t seed = seed_of(self_, thread, target, numbers[target]);
        auto* outgoing = new Outgoing{patterned(seed, size_of(seed))};
        const Header header{thread, numbers[target]++};
        const Piece piece{outgoing->payload.data(), outgoing->payload.size()};
        wait_until([&] {
          return port_.send(target, std::as_bytes(std::span(&header, 1)), {&piece, 1},
                            reinterpret_cast<std::uint64_t>(outgoing)) == Post::kDone;
        });
      }
      crowd_.sent_by_.fetch_add(1);
      wait_until([&] {
        return crowd_.sent_by_.load() == kNodes * kThreads && crowd_.landed_.load() == crowd_.expected() &&
               crowd_.given_back_.load() == crowd_.expected();
      });
      for (NodeId node = 0; node < kNodes; ++node) port_.doorbell(node)->ring();
    }

    void arrived(const Arrival& arrival) override {
      Header header;
      std::memcpy(&header, arrival.header.data(), sizeof header);
      std::uint64_t& next = next_[{arrival.source, header.thread}];
      EXPECT_EQ(header.number, next);
      ++next;
      const std::uint64_t seed = seed_of(arrival.source, header.thread, self_, header.number);
      EXPECT_EQ(arrival.payload_bytes, size_of(seed));
      auto* incoming = new Incoming{seed, std::vector<std::byte>(arrival.payload_bytes)};
      const Piece piece{incoming->payload.data(), incoming->payload.size()};
      port_.accept(arrival.id, {&piece, 1}, piece.bytes, reinterpret_cast<std::uint64_t>(incoming));
    }
    void landed(std::uint64_t cookie, Outcome) override {
      const std::unique_ptr<Incoming> incoming(reinterpret_cast<Incoming*>(cookie));
      EXPECT_EQ(incoming->payload, patterned(incoming->seed, incoming->payload.size()));
      crowd_.landed_.fetch_add(1);
    }
    void sent(std::uint64_t cookie) override {
      delete reinterpret_cast<Outgoing*>(cookie);
      crowd_.given_back_.fetch_add(1);
    }
    void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override { FAIL(); }

   private:
    template <class Condition>
    void wait_until(Condition&& condition) {
      for (unsigned idle = 0; !condition();) {
        if (port_.progress() != 0) {
          idle = 0;
        } else if (++idle > 50) {
          Doorbell& bell = *port_.doorbell(self_);
          const std::uint32_t seen = bell.announce();
          port_.progress();
          if (condition()) return bell.withdraw();
          bell.sleep(seen, 5'000'000);
        }
      }
    }

    Crowd& crowd_;
    NodeId self_;
    ShmPort port_;
    std::map<std::pair<NodeId, unsigned>, std::uint64_t> next_;  // used by whoever has the turn in progress()
  };

  std::uint64_t messages_;
  Memory memory_;
  std::vector<std::unique_ptr<Member>> members_;
  std::atomic<std::uint64_t> landed_{0};
  std::atomic<std::uint64_t> given_back_{0};
  std::atomic<unsigned> sent_by_{0};
};

TEST(ShmFabricCrowd, EveryMessageArrivesOnceInOrderAndWhole) {
#if defined(__SANITIZE_THREAD__)
  Crowd crowd(100);
#else
  Crowd crowd(600);
#endif
  crowd.run();
  EXPECT_EQ(crowd.landed(), crowd.expected());
}

}  // namespace
}  // namespace aqueduct::fabric::shm
