// Strangers who know where two nodes receive, and send there as fast as they can what they make up and what
// they have overheard: nothing of it is believed, nothing is lost by it, and it is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "fabric/udp/live_socket.hpp"
#include "fabric/udp/port.hpp"

namespace aqueduct::fabric::udp {
namespace {

using Datagram = std::vector<std::byte>;

/// What has lately gone over the network, for who listens there.
class Overheard {
 public:
  void add(std::span<const std::byte> datagram) {
    const std::lock_guard guard(mutex_);
    datagrams_.emplace_back(datagram.begin(), datagram.end());
    if (datagrams_.size() > kMost) datagrams_.pop_front();
  }
  Datagram any(std::mt19937& random) {
    const std::lock_guard guard(mutex_);
    return datagrams_.empty() ? Datagram(30) : datagrams_[random() % datagrams_.size()];
  }

 private:
  static constexpr std::size_t kMost = 256;
  std::mutex mutex_;
  std::deque<Datagram> datagrams_;
};

/// A socket whose datagrams are overheard.
class TappedSocket final : public DatagramSocket {
 public:
  TappedSocket(std::unique_ptr<LiveSocket> socket, Overheard& overheard)
      : socket_(std::move(socket)), overheard_(overheard) {}

  net::Address address() const override { return socket_->address(); }
  std::size_t largest_datagram(const net::Address&) override { return 1400; }
  std::size_t receive_room() const override { return socket_->receive_room(); }
  int wake_fd() const override { return socket_->wake_fd(); }
  std::span<const Arrived> receive() override { return socket_->receive(); }
  std::size_t send(std::span<const Burst> bursts, unsigned lane) override {
    for (const Burst& burst : bursts) {
      Datagram bytes;
      for (const iovec& part : burst.parts) {
        const auto* const begin = static_cast<const std::byte*>(part.iov_base);
        bytes.insert(bytes.end(), begin, begin + part.iov_len);
      }
      for (std::size_t at = 0; at < bytes.size(); at += burst.datagram_bytes)
        overheard_.add(std::span(bytes).subspan(at, std::min(burst.datagram_bytes, bytes.size() - at)));
    }
    return socket_->send(bursts, lane);
  }

 private:
  std::unique_ptr<LiveSocket> socket_;
  Overheard& overheard_;
};

Datagram payload_of(std::uint64_t number) {
  Datagram bytes(number % 50 == 0 ? 40'000 : number * 37 % 3000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(number + i * 7);
  return bytes;
}

/// One side of a conversation: sends numbered messages, and expects the other's in order and whole.
class Node final : public PortClient {
 public:
  explicit Node(PortSetup setup) : port(std::move(setup), machine_clock()) { port.set_client(*this); }

  void arrived(const Arrival& arrival) override {
    std::uint64_t number = 0;
    ASSERT_EQ(arrival.header.size(), sizeof number);
    std::memcpy(&number, arrival.header.data(), sizeof number);
    EXPECT_EQ(number, arrivals++);
    EXPECT_EQ(arrival.payload_bytes, payload_of(number).size());
    Datagram& room = landing[number];
    room.resize(arrival.payload_bytes);
    const Piece where{room.data(), room.size()};
    port.accept(arrival.id, {&where, 1}, room.size(), number);
  }
  void landed(std::uint64_t cookie, Outcome outcome) override {
    EXPECT_EQ(outcome, Outcome::kOk);
    EXPECT_EQ(landing.at(cookie), payload_of(cookie));
    landing.erase(cookie);
    ++landings;
  }
  void sent(std::uint64_t cookie) override { sending.erase(cookie); }
  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override { ADD_FAILURE(); }
  void lost(NodeId) override { ADD_FAILURE(); }

  /// Until both have had everything.
  void converse(NodeId peer, std::uint64_t messages) {
    for (std::uint64_t next = 0; next < messages || landings < messages || !sending.empty();) {
      if (next < messages && next < landings + 64) {
        Datagram& payload = sending[next] = payload_of(next);
        const Piece piece{payload.data(), payload.size()};
        if (port.send(peer, std::as_bytes(std::span(&next, 1)), {&piece, 1}, next) == Post::kDone) ++next;
      }
      port.progress();
    }
  }

  UdpPort port;
  std::map<std::uint64_t, Datagram> sending, landing;
  std::uint64_t arrivals = 0, landings = 0;
};

class Stranger {
 public:
  /// Without `overheard` they make everything up.
  Stranger(Overheard* overheard, std::vector<net::Address> victims, unsigned seed)
      : overheard_(overheard), victims_(std::move(victims)), random_(seed) {
    std::string why;
    socket_ = LiveSocket::open({}, &why);
  }

  void send_until(const std::atomic<bool>& is_over) {
    while (!is_over) {
      std::vector<Datagram> datagrams;
      std::vector<iovec> parts;
      std::vector<Burst> bursts;
      constexpr unsigned kAtOnce = 32;
      parts.reserve(kAtOnce);
      for (unsigned i = 0; i < kAtOnce; ++i) datagrams.push_back(make());
      for (Datagram& datagram : datagrams) {
        parts.push_back({datagram.data(), datagram.size()});
        bursts.push_back({victims_[random_() % victims_.size()], {&parts.back(), 1}, datagram.size()});
      }
      socket_->send(bursts, 0);
      sent += kAtOnce;
    }
  }

  std::uint64_t sent = 0;

 private:
  Datagram make() {
    Datagram datagram;
    if (overheard_) datagram = overheard_->any(random_);
    switch (overheard_ ? random_() % 5 : 0) {
      case 0:  // garbage
        datagram.resize(1 + random_() % 1400);
        for (std::byte& byte : datagram) byte = static_cast<std::byte>(random_());
        break;
      case 1:  // a true head and garbage
        for (std::size_t i = kPacketHeadBytes; i < datagram.size(); ++i)
          datagram[i] = static_cast<std::byte>(random_());
        break;
      case 2:  // cut
        datagram.resize(1 + random_() % datagram.size());
        break;
      case 3:  // one bit is other, in a number that has not come yet
        datagram[random_() % datagram.size()] ^= static_cast<std::byte>(1u << random_() % 8);
        if (datagram.size() >= kPacketHeadBytes) datagram[17] ^= static_cast<std::byte>(random_());
        break;
      default:  // again, as it was
        break;
    }
    return datagram;
  }

  Overheard* overheard_;
  std::vector<net::Address> victims_;
  std::mt19937 random_;
  std::unique_ptr<LiveSocket> socket_;
};

class Strangers : public testing::TestWithParam<Security> {};

TEST_P(Strangers, AreDroppedAndCounted) {
  constexpr std::uint64_t kMessages = 4000;
  constexpr std::uint32_t kJob = 0x1234'5678;
  constexpr unsigned kStrangers = 2;
  // Without a seal whoever listens on the network may forge; who does not is kept out all the same.
  const bool is_sealed = GetParam() != Security::kNone;
  Overheard overheard;
  const net::JobKey key = net::JobKey::random();
  std::vector<std::unique_ptr<LiveSocket>> sockets;
  std::vector<net::Address> addresses;
  PeerTable peers;
  for (NodeId node = 0; node < 2; ++node) {
    std::string why;
    sockets.push_back(LiveSocket::open({}, &why));
    ASSERT_TRUE(sockets.back()) << why;
    addresses.push_back(sockets.back()->address());
    peers.add(addresses.back());
  }
  std::vector<std::unique_ptr<Node>> nodes;
  for (NodeId node = 0; node < 2; ++node) {
    PortSetup setup;
    setup.self = node;
    setup.plane = Plane{2};
    setup.job = kJob;
    setup.socket = std::make_unique<TappedSocket>(std::move(sockets[node]), overheard);
    setup.peers = peers;
    setup.links.give_up_ns = 0;
    std::string why;
    setup.seal = make_seal(GetParam(), best_cipher(), key, 0, &why);
    ASSERT_TRUE(setup.seal) << why;
    nodes.push_back(std::make_unique<Node>(std::move(setup)));
  }
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> sent = 0;
  std::vector<std::jthread> strangers;
  for (unsigned i = 0; i < kStrangers; ++i) {
    strangers.emplace_back([&, i] {
      Stranger stranger(is_sealed ? &overheard : nullptr, addresses, i + 1);
      stranger.send_until(is_over);
      sent += stranger.sent;
    });
  }
  // A node that is ready still sees to the other's last acknowledgements.
  std::atomic<int> ready = 0;
  {
    std::vector<std::jthread> threads;
    for (NodeId node = 0; node < 2; ++node) {
      threads.emplace_back([&, node] {
        nodes[node]->converse(1 - node, kMessages);
        ++ready;
        while (ready < 2) nodes[node]->port.progress();
      });
    }
  }
  is_over = true;
  strangers.clear();
  Counters counted;
  for (const auto& node : nodes) {
    EXPECT_EQ(node->arrivals, kMessages);
    EXPECT_EQ(node->landings, kMessages);
    counted += node->port.counters();
  }
  EXPECT_GT(sent, 100u);
  EXPECT_GT(counted.dropped_short, 0u);
  EXPECT_LE(counted.dropped_short + counted.dropped_version + counted.dropped_stray + counted.dropped_forged,
            sent);
  if (!is_sealed) return;
  EXPECT_GT(counted.dropped_stray + counted.dropped_version, 0u);
  EXPECT_GT(counted.dropped_forged, 0u);
  EXPECT_GT(counted.dropped_duplicate + counted.dropped_old, 0u);
}

INSTANTIATE_TEST_SUITE_P(With, Strangers,
                         testing::Values(Security::kAuthenticate, Security::kEncrypt, Security::kNone),
                         [](const auto& info) {
                           switch (info.param) {
                             case Security::kNone:
                               return "None";
                             case Security::kAuthenticate:
                               return "Authenticate";
                             default:
                               return "Encrypt";
                           }
                         });

}  // namespace
}  // namespace aqueduct::fabric::udp
