// The network: carries messages between ports, in virtual time.
//
// Time. A message leaves its node through the injection gate, crosses the links of its route, and enters the
// target through the ejection gate. Gates and links serve one burst at a time, in the order in which they are
// reached: a burst is the header (with its inline payload), or kBurstBytes of a longer payload. A burst is
// cut through: its first byte goes on after `hop` on each link, its last byte follows as fast as the slowest
// part of the way lets it. All links of a route are reserved when the burst is injected, so a burst costs
// three events however many packets and hops it has; what this neglects is that a burst injected later,
// closer by, might have come first.
//
// A payload that has not been accepted waits in the network; it flows when it is accepted, as fast as the
// slowest part of the way lets it. Gates of a node are shared by its ports.
//
// Reliability, below the ports. Each message has a number in its lane (source to target). Its header and its
// payload carry a CRC-32 each, computed over the bytes when they leave and checked over the bytes that come.
//
//     a packet is lost        nothing is heard of it; the sender tries again after `timeout`
//     a packet is damaged     the check fails; the target says so and the sender tries again
//     it comes a second time  its number is known; it is dropped
//     `tries` have failed     undeliverable at the sender; the target skips its number
//
// A try that follows one whose header was seen brings the payload for the same arrival. Where the network is
// ordered, headers wait at the target for those with lower numbers.
#pragma once
#include <memory>
#include <vector>

#include "sim/network_message.hpp"
#include "sim/resource.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::sim {

/// What one source sends to one target; made when it first does.
struct Lane {
  std::uint32_t next_sequence = 0;
  std::uint32_t expected = 0;      // at the target
  NetworkMessage* held = nullptr;  // headers that wait for `expected`, by number
};

class SimPort;

class Network {
 public:
  static constexpr std::size_t kBurstBytes = std::size_t{4} << 10;
  /// Messages of one port that are not done; beyond that it is told to try again later.
  static constexpr std::uint32_t kMostUnderWay = 1024;

  explicit Network(Simulation& simulation);
  ~Network();

  SimPort& port(fabric::NodeId port) { return *ports_[port]; }
  const Traffic& traffic() const { return traffic_; }
  Simulation& simulation() { return simulation_; }

  fabric::Post send(SimPort& from, fabric::NodeId target, std::span<const std::byte> header,
                    std::span<const fabric::Piece> payload, std::uint64_t cookie);
  void accept(std::uint64_t arrival, std::span<const fabric::Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie);
  void discard(std::uint64_t arrival);

  /// The node's ports are silent from now on.
  void crash(fabric::NodeId node);
  /// The cable between two neighbours carries nothing from now on.
  void cut(fabric::NodeId node, fabric::NodeId neighbour);

 private:
  friend class SimPort;

  struct Gates {
    Resource injection;
    Resource ejection;
    NetworkMessage* first =
        nullptr;  // messages that wait for the injection gate; the first is being injected
    NetworkMessage* last = nullptr;
    bool crashed = false;
  };
  struct Link {
    Time free_at = 0;
  };
  /// How a burst comes through.
  struct Passage {
    Time injected = 0;    // its last byte has left the node
    Time arrived = 0;     // its last byte is there
    bool through = true;  // no link of its route is cut
  };
  const NetworkModel& model() const { return *simulation_.setup().model; }
  fabric::NodeId node_of(fabric::NodeId port) const { return simulation_.node_of(port); }
  bool is_inline(const NetworkMessage& message) const {
    return message.payload_bytes <= model().inline_bytes;
  }
  std::size_t packets(std::size_t bytes) const {
    return (bytes + model().packet_bytes - 1) / model().packet_bytes;
  }
  Time drain_time(std::size_t bytes) const;

  // Sending (transmission.cpp).
  void enqueue(NetworkMessage& message);
  void start_try(fabric::NodeId node);
  void inject_payload(NetworkMessage& message);
  void injection_done(NetworkMessage& message, bool lost);
  Passage pass(const NetworkMessage& message, std::size_t bytes, std::size_t packet_count, bool is_header);
  bool hits_header(const NetworkMessage& message) const;
  void capture(NetworkMessage& message);
  void retry_at(NetworkMessage& message, Time when);
  void retry(NetworkMessage& message);
  void give_up(NetworkMessage& message);
  void abandon(NetworkMessage& message, Time when);
  void settle_sender(NetworkMessage& message);
  Time way_back(const NetworkMessage& message) const;

  // Receiving (delivery.cpp).
  void header_arrives(NetworkMessage& message, bool corrupted);
  void payload_arrives(NetworkMessage& message, bool corrupted);
  bool check_header(NetworkMessage& message, bool corrupted);
  bool check_payload(NetworkMessage& message, bool corrupted);
  void put_in_order(NetworkMessage& message);
  void deliver(NetworkMessage& message);
  void payload_is_here(NetworkMessage& message);
  void land(NetworkMessage& message);
  void fail(NetworkMessage& message);
  void over(NetworkMessage& message);
  void learn_of_abandonment(NetworkMessage& message);

  /// Posts an event that looks at `message`, which stays until then.
  template <class Then>
  void later(Time when, EventKind kind, fabric::NodeId port, NetworkMessage& message, Then then) {
    ++message.holders;
    Network* const self = this;
    NetworkMessage* const subject = &message;
    engine_.at(when, {kind, node_of(port)}, [self, subject, then] {
      then(*self, *subject);
      self->release(*subject);
    });
  }
  void release(NetworkMessage& message);

  Simulation& simulation_;
  Engine& engine_;
  Faults& faults_;
  const Topology& topology_;
  MessagePool pool_;
  std::vector<std::unique_ptr<SimPort>> ports_;
  std::vector<Gates> gates_;  // by node
  std::vector<Link> links_;
  std::vector<bool> cut_links_;  // empty while none is cut
  Traffic traffic_;
};

}  // namespace aqueduct::sim
