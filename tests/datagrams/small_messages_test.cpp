// Small messages of several threads to one peer: a thread that finds the peer's lock taken leaves its message
// for whoever holds that. Compiled with ThreadSanitizer as well.
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/doorbell.hpp"
#include "fabric/udp/left_messages.hpp"
#include "fabric/udp/peer_lock.hpp"
#include "fabric/udp/port.hpp"
#include "lossy_socket.hpp"

namespace aqueduct::fabric::udp {
namespace {

std::span<const std::byte> bytes_of(const auto& of) { return std::as_bytes(std::span(&of, 1)); }

TEST(LeftMessages, AreTakenInTheirOrderAndAgainWhereOneWasRefused) {
  LeftMessages messages;
  const Place place{Place::Kind::kExposed, 4096};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Piece payload{&i, sizeof i};
    ASSERT_TRUE(messages.add(bytes_of(i), {&payload, 1}, sizeof i, i % 2 == 0 ? &place : nullptr, i + 100));
  }
  std::uint32_t next = 0;
  const auto take = [&](std::uint32_t most) {
    return messages.take([&](std::span<const std::byte> header, std::span<const Piece> payload,
                             const Place* at, std::uint64_t cookie) {
      if (next == most) return false;
      EXPECT_EQ(std::memcmp(header.data(), &next, sizeof next), 0);
      EXPECT_EQ(payload.size(), 1u);
      EXPECT_EQ(std::memcmp(payload[0].base, &next, sizeof next), 0);
      EXPECT_EQ(at != nullptr, next % 2 == 0);
      EXPECT_TRUE(!at || *at == place);
      EXPECT_EQ(cookie, next + 100);
      ++next;
      return true;
    });
  };
  EXPECT_FALSE(take(2));
  EXPECT_TRUE(messages.has_refused());
  const std::uint32_t last = 4;
  const Piece payload{const_cast<std::uint32_t*>(&last), sizeof last};
  ASSERT_TRUE(messages.add(bytes_of(last), {&payload, 1}, sizeof last, &place, 104));
  EXPECT_TRUE(take(~0u));
  EXPECT_EQ(next, 5u) << "those that are left behind the refused ones";
  EXPECT_FALSE(messages.has_refused());
  messages.release_memory();
  EXPECT_EQ(messages.memory_bytes(), sizeof messages);
}

TEST(LeftMessages, HaveSoMuchRoomAndNoMore) {
  LeftMessages messages;
  const std::array<std::byte, LeftMessages::kMostMessage> header{};
  std::size_t added = 0;
  while (messages.add(header, {}, 0, nullptr, 0)) added += header.size();
  EXPECT_LE(added, LeftMessages::kMostBytes);
  EXPECT_GT(added, LeftMessages::kMostBytes / 2);
  std::size_t taken = 0;
  EXPECT_TRUE(messages.take([&](std::span<const std::byte> each, auto, auto, auto) {
    taken += each.size();
    return true;
  }));
  EXPECT_EQ(taken, added);
}

// As UdpPort::send() does it: whoever finds the lock taken is through at once, and nothing stays behind.
TEST(PeerLock, NothingThatWasLeftIsOverlooked) {
  constexpr unsigned kThreads = 4;
  constexpr std::uint32_t kEach = 20'000;
  struct Item {
    std::uint32_t thread = 0, number = 0;
  };
  PeerLock lock;
  LeftMessages messages;
  std::array<std::uint32_t, kThreads> next{};  // with the lock
  unsigned wrong = 0;
  std::atomic<unsigned> left{0};
  const auto count = [&](const Item& item) { wrong += item.number != next[item.thread]++ ? 1 : 0; };
  const auto take = [&] {
    if (!lock.is_marked()) return;
    lock.unmark();
    messages.take([&](std::span<const std::byte> header, auto, auto, auto) {
      Item item;
      std::memcpy(&item, header.data(), sizeof item);
      count(item);
      return true;
    });
  };
  const auto give_way = [&] {
    do {
      take();
      lock.unlock();
    } while (lock.is_marked() && lock.try_lock());
  };
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (Item item{thread, 0}; item.number < kEach;) {
        if (!lock.try_lock()) {
          if (!messages.add(bytes_of(item), {}, 0, nullptr, 0)) {
            sched_yield();
            continue;
          }
          ++item.number;
          left.fetch_add(1, std::memory_order_relaxed);
          if (lock.leave() && lock.try_lock()) give_way();
          continue;
        }
        take();
        count(item);
        ++item.number;
        if (item.number % 64 == 0) sched_yield();  // others meet a lock that is held
        if (!lock.unlock_unless_left()) give_way();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  for (const std::uint32_t each : next) EXPECT_EQ(each, kEach);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_GT(left.load(), 0u);
}

struct Ticket {
  std::uint32_t thread = 0;
  std::uint32_t number = 0;  // of its thread
  std::uint32_t turn = 0;    // of all that are ordered by a mutex; 0: it is not
};

/// A port, and what came to it.
class TicketNode final : public PortClient {
 public:
  static constexpr unsigned kThreads = 5;

  TicketNode(NodeId self, std::unique_ptr<DatagramSocket> socket, const std::vector<net::Address>& peers) {
    PortSetup setup;
    setup.self = self;
    setup.job = 7;
    setup.socket = std::move(socket);
    for (const net::Address& peer : peers) setup.peers.add(peer);
    setup.peers.close();
    setup.doorbell = [this, self](NodeId node) { return node == self ? &doorbell_ : nullptr; };
    port_ = std::make_unique<UdpPort>(std::move(setup), machine_clock());
    port_->set_client(*this);
  }

  UdpPort& port() { return *port_; }
  unsigned received() const { return received_.load(); }
  unsigned sent_count() const { return sent_.load(); }

  void arrived(const Arrival& arrival) override {
    Ticket ticket;
    ASSERT_EQ(arrival.header.size(), sizeof ticket);
    std::memcpy(&ticket, arrival.header.data(), sizeof ticket);
    ASSERT_EQ(arrival.payload_bytes, sizeof ticket.number);
    EXPECT_EQ(std::memcmp(arrival.inline_payload, &ticket.number, sizeof ticket.number), 0);
    EXPECT_EQ(ticket.number, next_[ticket.thread]++) << "of thread " << ticket.thread;
    EXPECT_TRUE(ticket.turn == 0 || ticket.turn == ++turn_) << ticket.turn;
    port_->discard(arrival.id);
    ++received_;
  }
  void landed(std::uint64_t, Outcome) override { FAIL(); }
  void sent(std::uint64_t) override { ++sent_; }
  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override { FAIL(); }

 private:
  Doorbell doorbell_;
  std::array<std::uint32_t, kThreads> next_{};  // in reports alone, like turn_
  std::uint32_t turn_ = 0;
  std::atomic<unsigned> received_{0}, sent_{0};
  std::unique_ptr<UdpPort> port_;
};

// The turns of two of the threads are ordered by a mutex, and so is what they send.
TEST(UdpPortThreads, SendSmallMessagesToOnePeerInTheirOrder) {
  constexpr std::uint32_t kEach = 3'000;
  constexpr unsigned kAll = TicketNode::kThreads * kEach;
  std::vector<std::unique_ptr<LossySocket>> sockets;
  std::vector<net::Address> addresses;
  for (unsigned node = 0; node < 2; ++node) {
    std::string why;
    auto socket = LiveSocket::open({.datagrams_say_size = true}, &why);
    ASSERT_TRUE(socket) << why;
    addresses.push_back(socket->address());
    sockets.push_back(std::make_unique<LossySocket>(std::move(socket)));
  }
  TicketNode from(0, std::move(sockets[0]), addresses);
  TicketNode to(1, std::move(sockets[1]), addresses);
  const auto is_over = [&] { return to.received() == kAll && from.sent_count() == kAll; };

  std::mutex mutex;
  std::uint32_t turns = 0;  // with the mutex
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < TicketNode::kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (Ticket ticket{thread, 0, 0}; ticket.number < kEach; ++ticket.number) {
        std::unique_lock guard(mutex, std::defer_lock);
        if (thread < 2) {
          guard.lock();
          ticket.turn = ++turns;
        }
        const Piece payload{&ticket.number, sizeof ticket.number};
        const bool is_placed = ticket.number % 2 == 0;
        while ((is_placed
                    ? from.port().send_placed(1, bytes_of(ticket), {&payload, 1}, {Place::Kind::kBuffer, 0},
                                              Release::kAtReturn, ticket.number)
                    : from.port().send(1, bytes_of(ticket), {&payload, 1}, ticket.number)) != Post::kDone) {
          from.port().progress();
          sched_yield();
        }
      }
      while (!is_over()) {
        if (from.port().progress() == 0) sched_yield();
      }
    });
  }
  while (!is_over()) {
    if (to.port().progress() == 0) sched_yield();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(to.received(), kAll);
  EXPECT_EQ(to.port().counters().dropped_malformed, 0u);
}

}  // namespace
}  // namespace aqueduct::fabric::udp
