// Ports in one process, over sockets of the operating system that lose some of what is sent and take nothing
// now and then. Several threads of each send to all of them, answer each other's arrivals, and look at the
// network; compiled with ThreadSanitizer as well.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/doorbell.hpp"
#include "fabric/udp/port.hpp"
#include "lossy_socket.hpp"

namespace aqueduct::fabric::udp {
namespace {

constexpr unsigned kNodes = 3;
constexpr unsigned kThreads = 3;
constexpr unsigned kRounds = 20;
constexpr std::size_t kLargest = 40'000;
enum MessageKind : std::uint32_t { kPlain, kInBuffer, kExposed, kPosted, kKinds };

/// The header of a test's message.
struct Head {
  std::uint32_t thread = 0;
  std::uint32_t round = 0;
  MessageKind kind = kPlain;
  std::uint32_t bytes = 0;
};

std::byte pattern(NodeId source, const Head& head, std::size_t at) {
  return static_cast<std::byte>(source * 89 + head.thread * 31 + head.round * 7 + head.kind + at / 97);
}

/// A node, its threads, and all that it is to receive.
class Node final : public PortClient {
 public:
  Node(NodeId self, std::unique_ptr<LossySocket> socket, const std::vector<net::Address>& peers)
      : socket_(*socket), segment_(kNodes * kThreads * kRounds / kKinds * kLargest) {
    PortSetup setup;
    setup.self = self;
    setup.job = 7;
    setup.socket = std::move(socket);
    for (const net::Address& peer : peers) setup.peers.add(peer);
    setup.peers.close();
    setup.doorbell = [this, self](NodeId node) { return node == self ? &doorbell_ : nullptr; };
    setup.is_watched = true;
    port_ = std::make_unique<UdpPort>(std::move(setup), machine_clock());
    port_->set_client(*this);
    port_->expose({segment_.data(), segment_.size()});
  }

  UdpPort& port() { return *port_; }
  const LossySocket& socket() const { return socket_; }
  Doorbell& doorbell() { return doorbell_; }
  std::byte* exposed(NodeId source, const Head& head) {
    return segment_.data() +
           ((source * kThreads + head.thread) * (kRounds / kKinds) + head.round / kKinds) * kLargest;
  }
  std::uint64_t post(NodeId source, const Head& head) {
    const std::lock_guard guard(mutex_);
    std::vector<std::byte>& memory = posted_[key(source, head)];
    memory.resize(head.bytes);
    return port_->post(source, {memory.data(), memory.size()});
  }

  // PortClient
  void arrived(const Arrival& arrival) override {
    Head head;
    ASSERT_EQ(arrival.header.size(), sizeof head);
    std::memcpy(&head, arrival.header.data(), sizeof head);
    ASSERT_EQ(arrival.payload_bytes, head.bytes);
    if (head.kind == kPlain) {  // in the order of send()
      std::uint32_t& next = next_round_[{arrival.source, head.thread}];
      EXPECT_EQ(head.round, next);
      next += kKinds;
    }
    if (head.kind == kExposed && head.bytes > port_->traits().inline_bytes) {
      EXPECT_EQ(arrival.inline_payload, exposed(arrival.source, head));
    }
    if (arrival.inline_payload) expect_pattern(arrival.source, head, arrival.inline_payload);
    if (head.round % 3 == 0) return answer(arrival.id, arrival.source, head, !arrival.inline_payload);
    const std::lock_guard guard(mutex_);
    unanswered_.push_back({arrival.id, arrival.source, head, !arrival.inline_payload});
  }
  void landed(std::uint64_t cookie, Outcome outcome) override {
    EXPECT_EQ(outcome, Outcome::kOk);
    const std::unique_ptr<Landing> landing(reinterpret_cast<Landing*>(cookie));
    expect_pattern(landing->source, landing->head, landing->memory.data());
    ++received_;
  }
  void sent(std::uint64_t cookie) override {
    const std::unique_ptr<Leaving> leaving(reinterpret_cast<Leaving*>(cookie));
    ++sent_;
  }
  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override { FAIL(); }

  /// One of what others have left, if there is something.
  void answer_one() {
    Waiting waiting;
    {
      const std::lock_guard guard(mutex_);
      if (unanswered_.empty()) return;
      waiting = unanswered_.back();
      unanswered_.pop_back();
    }
    answer(waiting.id, waiting.source, waiting.head, waiting.lands);
  }

  /// A message of `head` to `target`, whose node lies in this process.
  void send(Node& target, NodeId target_id, NodeId self, const Head& head) {
    auto leaving = std::make_unique<Leaving>();
    leaving->payload.resize(head.bytes);
    for (std::size_t at = 0; at < head.bytes; ++at) leaving->payload[at] = pattern(self, head, at);
    const Piece piece{leaving->payload.data(), head.bytes};
    const std::span<const Piece> payload(&piece, head.bytes != 0 ? 1 : 0);
    const auto header = std::as_bytes(std::span(&head, 1));
    Place place{};
    if (head.kind == kExposed)
      place = {Place::Kind::kExposed, reinterpret_cast<std::uint64_t>(target.exposed(self, head))};
    if (head.kind == kPosted) place = {Place::Kind::kPosted, target.post(self, head)};
    const Release release = head.kind == kInBuffer ? Release::kAtReturn : Release::kWhenSent;
    const auto cookie = reinterpret_cast<std::uint64_t>(leaving.get());
    const auto post = [&] {
      return head.kind == kPlain ? port_->send(target_id, header, payload, cookie)
                                 : port_->send_placed(target_id, header, payload, place, release, cookie);
    };
    std::vector<std::byte>& memory = leaving->payload;
    // Once it is posted another thread may be told that it was sent, and free it.
    std::vector<std::byte> released;
    if (release == Release::kAtReturn) released.swap(memory);
    leaving.release();
    while (post() == Post::kRetry) {
      port_->progress();
      sched_yield();
    }
    std::ranges::fill(released, std::byte{0xff});
  }

  unsigned received() const { return received_.load(); }
  unsigned sent_count() const { return sent_.load(); }

 private:
  struct Landing {
    NodeId source = 0;
    Head head;
    std::vector<std::byte> memory;
  };
  struct Leaving {
    std::vector<std::byte> payload;
  };
  struct Waiting {
    std::uint64_t id = 0;
    NodeId source = 0;
    Head head;
    bool lands = false;
  };
  static std::uint64_t key(NodeId source, const Head& head) {
    return (std::uint64_t{source} * kThreads + head.thread) * kRounds + head.round;
  }

  static void expect_pattern(NodeId source, const Head& head, const std::byte* payload) {
    std::size_t wrong = 0;
    for (std::size_t at = 0; at < head.bytes; ++at) wrong += payload[at] != pattern(source, head, at) ? 1 : 0;
    EXPECT_EQ(wrong, 0u) << "kind " << +head.kind << ", " << head.bytes << " bytes";
  }
  void answer(std::uint64_t id, NodeId source, const Head& head, bool lands) {
    if (!lands || head.bytes == 0) {
      port_->discard(id);
      ++received_;
      return;
    }
    auto* const landing = new Landing{source, head, std::vector<std::byte>(head.bytes)};
    const Piece where{landing->memory.data(), head.bytes};
    port_->accept(id, {&where, 1}, head.bytes, reinterpret_cast<std::uint64_t>(landing));
  }

  LossySocket& socket_;
  Doorbell doorbell_;
  std::vector<std::byte> segment_;
  std::map<std::pair<NodeId, std::uint32_t>, std::uint32_t> next_round_;  // in reports alone
  std::atomic<unsigned> received_{0}, sent_{0};
  std::mutex mutex_;  // of what follows
  std::vector<Waiting> unanswered_;
  std::map<std::uint64_t, std::vector<std::byte>> posted_;
  std::unique_ptr<UdpPort> port_;
};

TEST(UdpPortThreads, SendToSeveralPeersAndAnswerEachOther) {
  std::vector<std::unique_ptr<LossySocket>> sockets;
  std::vector<net::Address> addresses;
  for (unsigned node = 0; node < kNodes; ++node) {
    std::string why;
    auto socket = LiveSocket::open({.datagrams_say_size = true}, &why);
    ASSERT_TRUE(socket) << why;
    addresses.push_back(socket->address());
    sockets.push_back(std::make_unique<LossySocket>(std::move(socket)));
  }
  std::vector<std::unique_ptr<Node>> nodes;
  for (unsigned node = 0; node < kNodes; ++node)
    nodes.push_back(std::make_unique<Node>(node, std::move(sockets[node]), addresses));

  constexpr std::uint32_t kSizes[] = {0, 16, 700, 5'000, 20'000, kLargest};
  constexpr unsigned kEach = kThreads * kRounds * kNodes;  // messages of a node, to itself too
  std::atomic<unsigned> over{0};
  std::vector<std::thread> threads;
  for (NodeId self = 0; self < kNodes; ++self) {
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, self, thread] {
        Node& node = *nodes[self];
        for (std::uint32_t round = 0; round < kRounds; ++round) {
          for (NodeId i = 0; i < kNodes; ++i) {
            const NodeId target = (thread + i) % kNodes;
            const auto kind = static_cast<MessageKind>(round % kKinds);
            std::uint32_t bytes = kSizes[(round / kKinds + thread) % std::size(kSizes)];
            if (kind != kPlain && bytes == 0) bytes = 9'000;
            node.send(*nodes[target], target, self, {thread, round, kind, bytes});
            node.port().progress();
            node.answer_one();
          }
        }
        bool was_over = false;
        while (over.load() != kNodes * kThreads) {
          if (node.port().progress() == 0) sched_yield();
          node.answer_one();
          if (!was_over && node.received() == kEach && node.sent_count() == kEach) {
            was_over = true;
            ++over;
          }
        }
      });
    }
  }
  for (std::thread& thread : threads) thread.join();

  unsigned lanes = 0;
  Counters all;
  for (const auto& node : nodes) {
    EXPECT_EQ(node->received(), kEach);
    EXPECT_EQ(node->sent_count(), kEach);
    lanes = std::max(lanes, node->socket().lanes_used());
    all += node->port().counters();
  }
  EXPECT_GT(lanes, 1u) << "no two threads have sent at the same time";
  EXPECT_GT(all.retransmitted, 0u);
  EXPECT_GT(all.socket_full, 0u);
  EXPECT_EQ(all.messages_received, kNodes * kEach);
  EXPECT_EQ(all.dropped_malformed + all.dropped_place + all.dropped_forged + all.timeouts, 0u);
}

}  // namespace
}  // namespace aqueduct::fabric::udp
