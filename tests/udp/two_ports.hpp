// Two ports over a simulated network that does exactly what a test says, and clients that keep count.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fabric/udp/port.hpp"
#include "udp/simulated_network.hpp"

namespace aqueduct::fabric::udp::test {

inline constexpr std::uint64_t kSecond = 1'000'000'000;

class Client final : public PortClient {
 public:
  explicit Client(UdpPort& port) : port_(port) { port.set_client(*this); }

  void arrived(const Arrival& arrival) override {
    ++messages;
    source = arrival.source;
    inline_payload = arrival.inline_payload;
    if (!answers) {
      unanswered.push_back(arrival.id);
      return;
    }
    if (arrival.payload_bytes == 0) return port_.discard(arrival.id);
    memory.resize(arrival.payload_bytes);
    const Piece where{memory.data(), memory.size()};
    port_.accept(arrival.id, {&where, 1}, memory.size(), 7);
  }
  void landed(std::uint64_t, Outcome outcome) override { ++(outcome == Outcome::kOk ? landings : broken); }
  void sent(std::uint64_t) override { ++sends; }
  void undeliverable(std::uint64_t cookie, NodeId, std::span<const std::byte> header) override {
    given_up.push_back(cookie);
    headers.emplace_back(reinterpret_cast<const char*>(header.data()), header.size());
  }
  void lost(NodeId node) override { lost_nodes.push_back(node); }
  void retried(NodeId, observe::Retry why) override { twice += why == observe::Retry::kTwice ? 1 : 0; }

  bool answers = true;
  unsigned messages = 0, landings = 0, broken = 0, sends = 0, twice = 0;
  NodeId source = 99;
  const std::byte* inline_payload = nullptr;
  std::vector<std::byte> memory;
  std::vector<std::uint64_t> unanswered, given_up;
  std::vector<std::string> headers;
  std::vector<NodeId> lost_nodes;

 private:
  UdpPort& port_;
};

/// Two nodes and a network between them.
class TwoPorts {
 public:
  explicit TwoPorts(const Faults& faults = {}, const LinkSettings& links = {}, bool is_sealed = true,
                    bool says_counters = false, std::uint64_t seed = 1)
      : network(clock, 2, faults, seed) {
    for (unsigned node = 0; node < 2; ++node) {
      PortSetup setup;
      setup.self = node;
      setup.job = 5;
      setup.socket = std::make_unique<SimulatedSocket>(network, node);
      if (is_sealed) setup.seal = std::make_unique<TestSeal>(node == 0);
      for (unsigned peer = 0; peer < 2; ++peer) setup.peers.add(SimulatedNetwork::address_of(peer));
      setup.links = links;
      setup.says_counters = says_counters;
      ports[node] = std::make_unique<UdpPort>(std::move(setup), clock);
      clients[node] = std::make_unique<Client>(*ports[node]);
    }
  }

  bool send(unsigned from, const std::string& header, std::vector<std::byte>* payload = nullptr,
            std::uint64_t cookie = 0) {
    const Piece piece{payload ? payload->data() : nullptr, payload ? payload->size() : 0};
    return ports[from]->send(1 - from, std::as_bytes(std::span(header)), {&piece, payload ? 1u : 0u},
                             cookie) == Post::kDone;
  }
  /// Lets time pass until `condition` holds or nothing moves any more; false then.
  template <class Condition>
  bool run_until(const Condition& condition, std::uint64_t most_ns = 100 * kSecond) {
    const std::uint64_t end = clock.now + most_ns;
    while (!condition() && clock.now < end) {
      network.deliver();
      for (auto& port : ports) port->service();
      if (condition()) return true;
      std::uint64_t next = network.next_ns();
      for (unsigned node = 0; node < 2; ++node) {
        next = std::min(next, ports[node]->deadline_ns());
        if (network.has_something_for(node)) next = clock.now;
      }
      clock.now = std::min(std::max(next, clock.now + 10), end);
    }
    return condition();
  }
  void settle() {
    run_until([] { return false; }, kSecond);
  }

  /// Node 0 is about to leave, with so much time; returns how much it has taken.
  std::uint64_t leave(std::uint64_t most_ns) {
    clock.passes = [this] {
      clock.now += 10'000;
      network.deliver();
      ports[1]->service();
    };
    const std::uint64_t begin = clock.now;
    ports[0]->finish_sending(most_ns);
    clock.passes = {};
    return clock.now - begin;
  }

  VirtualClock clock;
  SimulatedNetwork network;
  std::unique_ptr<UdpPort> ports[2];
  std::unique_ptr<Client> clients[2];
};

}  // namespace aqueduct::fabric::udp::test
