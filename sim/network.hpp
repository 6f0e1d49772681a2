// The network: carries messages between ports, in virtual time.
//
// Time. A message leaves its node through the injection gate, crosses the links of its way, and enters the
// target through the ejection gate. It goes in bursts: the header (with its inline payload), then kBurstBytes
// of a longer payload at a time. A burst whose whole way is clear goes in closed form: its first byte goes on
// after `hop` on each link, its last byte follows as fast as the slowest part of the way allows, and its
// links are marked busy when it is injected. That costs three events, whatever the number of packets and
// hops. A burst that would have to wait anywhere goes packet by packet (switching.hpp); if it need not wait
// after all, the result is the same.
//
// The closed form neglects that a burst, once injected, could be interrupted. Packets that meet it wait for
// it as for one packet of its size, kBurstBytes at most.
//
// If the network's file gives links no buffers, they hold any amount and all bursts go in closed form: each
// waits for those that were injected before it, and delays no others.
//
// A payload that has not been accepted waits in the target's interface, up to its `room`; the rest waits in
// the network and blocks what is behind it. It flows when it is accepted, as fast as the slowest part of the
// way allows. The ports of a node share its gates and its room.
//
// Reliability, below the ports. Each message has a number in its lane (source to target). Its header and its
// payload carry a CRC-32 each, computed over the bytes when they leave and checked over the bytes that come.
//
//     a packet is lost        nobody answers; the sender tries again after `timeout`
//     a packet is damaged     the check fails; the target says so and the sender tries again
//     it comes a second time  its number is known; it is dropped
//     `tries` have failed     undeliverable at the sender; the target skips its number
//
// A cable that is cut loses packets; the next try may take another way (routing.hpp).
//
// If the header of an earlier try was seen, a new try brings the payload for the same arrival. On an ordered
// network headers wait at the target for those with lower numbers.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "base/peer_map.hpp"
#include "sim/engine/resource.hpp"
#include "sim/hot_spot.hpp"
#include "sim/network_message.hpp"
#include "sim/simulation.hpp"
#include "sim/switching.hpp"

namespace aqueduct::sim {

/// The messages from one source to one target; made with the first message.
struct Lane {
  std::uint32_t next_sequence = 0;
  std::uint32_t expected = 0;      // at the target
  NetworkMessage* held = nullptr;  // headers that wait for `expected`, by number
};

class SimPort;

/// What a rank pays at its port (sim_port.hpp), as far as the network's file has these costs.
struct PortCosts {
  explicit PortCosts(const NetworkModel& model)
      : send(model.find_cost("port_send")),
        sent(model.find_cost("port_sent")),
        receive(model.find_cost("port_receive")),
        receive_more(model.find_cost("port_receive_more")),
        crossed(model.find_cost("port_crossed")),
        other_peer(model.find_cost("port_other_peer")),
        poll(model.find_cost("port_poll")) {}

  std::optional<CostId> send, sent, receive, receive_more, crossed, other_peer, poll;
};

class Network {
 public:
  static constexpr std::size_t kBurstBytes = std::size_t{4} << 10;

  explicit Network(Simulation& simulation);
  ~Network();

  SimPort& port(fabric::NodeId port) { return *ports_[port]; }
  const Traffic& traffic() const { return traffic_; }
  void restore(const Traffic& traffic) { traffic_ = traffic; }
  Simulation& simulation() { return simulation_; }
  Switching& switching() { return switching_; }
  const Switching& switching() const { return switching_; }

  /// `in_order`: even on an unordered network the message arrives after all earlier messages of this pair
  /// that asked for it.
  fabric::Post send(SimPort& from, fabric::NodeId target, std::span<const std::byte> header,
                    std::span<const fabric::Piece> payload, std::uint64_t cookie, bool in_order = false);
  void accept(std::uint64_t arrival, std::span<const fabric::Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie);
  void discard(std::uint64_t arrival);

  /// The node's ports are silent from now on.
  void crash(fabric::NodeId node);
  /// These links carry nothing from now on; NetworkModel::reroute later, routers avoid them. The node is one
  /// next to them, for the trace.
  void cut(std::span<const LinkId> links, fabric::NodeId node);
  /// A packet of a hot spot, unless so many of them are under way from the port's node.
  void send_background(fabric::NodeId port, fabric::NodeId target, unsigned most_under_way);
  /// How long the ejection gate needs for one.
  Time into_node_of_background() const {
    return gate_time(model().ejection, {model().packet_bytes, 1, true});
  }

  /// The port's client is gone for good: what comes is dropped.
  void close(fabric::NodeId port);
  /// Its client stays and calls progress() no more: it is told at once of what comes.
  void report_at_once(fabric::NodeId port);

 private:
  friend class SimPort;
  friend class Switching;

  struct Gates {
    Resource injection;
    Calendar ejection;
    NetworkMessage* first = nullptr;  // the queue of the injection gate; the first message is being injected
    NetworkMessage* last = nullptr;
    bool crashed = false;
    std::uint32_t claims = 0;   // packets under way to here
    std::size_t room_used = 0;  // by payload that is not accepted yet
    unsigned background = 0;    // packets of hot spots under way from here
  };
  /// The result of a burst's passage.
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
  Time gate_time(const Gate& gate, const Burst& burst) const {
    return (burst.is_header ? gate.per_message : 0) + gate.per_packet * burst.packets +
           gate.rate.of(burst.bytes);
  }
  /// Of the first burst of a message, which may be all of it.
  std::size_t header_burst_bytes(const NetworkMessage& message) const;
  bool keeps_order(const NetworkMessage& message) const { return model().ordered || message.in_order; }
  bool is_finite() const { return model().buffer != 0; }
  bool is_cut(LinkId link) const { return !cut_links_.empty() && cut_links_[link]; }
  /// Whether so many bytes of its payload may enter the target.
  bool has_room(const NetworkMessage& message, std::size_t bytes) const;
  /// The same for a burst in closed form, whose header may not have arrived yet.
  bool will_find_room(const NetworkMessage& message, std::size_t bytes) const;
  static bool awaits_answer(const NetworkMessage& message) {
    using State = NetworkMessage::State;
    return message.state == State::kUnseen || message.state == State::kHeld ||
           message.state == State::kArrived;
  }
  /// Whether header and payload have arrived.
  static bool is_there(const NetworkMessage& message) {
    return message.payload_here && message.state != NetworkMessage::State::kUnseen;
  }
  /// Counts payload bytes that enter the target.
  void enters(NetworkMessage& message, std::size_t bytes);
  /// Frees the room of a payload that is accepted or discarded.
  void free_room(NetworkMessage& message);

  // Sending (transmission.cpp).
  /// The lane to `target`, made if there is none.
  Lane& lane(PeerMap<std::uint32_t>& lanes, fabric::NodeId target);
  void enqueue(NetworkMessage& message);
  void start_try(fabric::NodeId node);
  void header_left(NetworkMessage& message, bool lost);
  void header_through(NetworkMessage& message, Time when);
  void inject_payload(NetworkMessage& message);
  void payload_left(NetworkMessage& message, bool through);
  void payload_through(NetworkMessage& message);
  /// Called by Switching when the gate is free, and when everything has arrived.
  void flight_left(Flight& flight);
  void flight_arrived(Flight& flight);
  void injection_done(NetworkMessage& message, bool lost);
  /// Sends a burst in closed form; otherwise sends it packet by packet and returns nothing.
  std::optional<Passage> pass(NetworkMessage& message, const Burst& burst);
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

  /// Posts an event that uses `message`, which is kept until then.
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
  std::deque<Lane> lanes_;
  std::vector<std::unique_ptr<SimPort>> ports_;
  std::vector<Gates> gates_;  // by node
  Switching switching_;
  PortCosts port_costs_;
  Steps steps_;                               // of the burst that passes
  std::vector<bool> cut_links_;               // empty while none is cut
  std::deque<std::vector<LinkId>> failures_;  // that routers know or will know
  std::deque<HotSpot> hot_spots_;
  Traffic traffic_;
};

}  // namespace aqueduct::sim
