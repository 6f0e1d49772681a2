// Packets in a network of finite buffers: virtual cut-through with credits.
//
// A burst whose way is not clear (Network::pass) goes packet by packet. A packet waits in a buffer: that of
// its node's injection gate, or one at the end of a link, which has one buffer of NetworkModel::buffer
// packets for each virtual channel. The first packet of a buffer asks for its next link, or at the end of its
// way for the ejection gate; the others wait behind it. A link goes to the packet that asked first among
// those whose next buffer has a place. So each input of a router gets its turn, and a packet that cannot go
// on blocks what is behind it: in its buffer, then in earlier buffers, then at the gates of the senders.
//
//   gate ──▶ [injection] ──link──▶ [channel 0 | 1 | …] ──link──▶ [ … ] ──▶ ejection gate
//                          ◀─credit──                    ◀─credit──
//
// Time. A packet that gets a link at t has its first byte in the next buffer at t + hop and asks at once; the
// link is free again when all its bytes have passed. Its place in the previous buffer is free for the next
// packet when its last byte has left and the credit has come back over the link, one hop later. A packet
// takes whole flits and its overhead on links (NetworkModel), and nothing but its bytes and per_packet at
// gates.
//
// Nothing waits for ever, because the channels of a way never form a circle (topology.hpp), and the ejection
// gate refuses only payload whose header was delivered and not answered, while the node's `room` is full.
//
// If buffers are so short that credits do not come back in time, even a burst that is alone on its way is
// slowed down; in such a network every burst goes packet by packet. Otherwise bursts in closed form take no
// places.
//
// Claims. A link knows how many packets under way will still use it. While there are any, or while it is
// taken, no burst is sent in closed form over it. So bursts and packets of one way do not overtake each
// other.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/engine/engine.hpp"
#include "sim/network_message.hpp"
#include "sim/routing.hpp"

namespace aqueduct::sim {

class Network;

/// A header with its inline payload, or a part of a longer payload.
struct Burst {
  std::size_t bytes = 0;
  std::size_t packets = 1;
  bool is_header = false;
};

/// A burst that goes packet by packet.
struct Flight {
  NetworkMessage* message = nullptr;
  std::uint32_t attempt = 0;  // the message's count of tries when it left
  Burst burst;
  std::size_t made = 0;       // packets that have reached the injection gate
  std::size_t under_way = 0;  // of those, not arrived
  Time start = 0;             // of the next packet at the gate
  Time arrived = 0;           // the last byte of those that have
  bool left = false;          // the injection gate is free
  bool lost = false;          // a cut link has swallowed a packet
  Steps steps;                // of all its packets, unless routing is adaptive
};

/// The state of a link and what it has carried.
struct Link {
  Calendar taken;
  std::uint32_t claims = 0;  // packets under way that will use it
  std::uint32_t output = 0;  // one more than its place in Switching::outputs_; 0: never needed
  Time busy = 0;             // in all
  std::uint64_t packets = 0;
};

class Switching final : public LinkQueues {
 public:
  Switching(Network& network, Engine& engine);
  ~Switching();

  Router& router() { return router_; }
  std::vector<Link>& links() { return links_; }
  const std::vector<Link>& links() const { return links_; }

  /// From now on the link has so many percent of its bandwidth.
  void slow_down(LinkId link, std::uint32_t percent);
  /// The time of `burst` on a link: from its byte `begin` to `end`, flits and overhead included.
  Time on_link(LinkId link, std::size_t begin, std::size_t end) const;
  Time hop(LinkId link) const;
  /// Takes a link in closed form.
  void take(LinkId link, Time begin, Time end, std::size_t packets);
  /// Whether a burst that starts at its gate at `start` would have to wait nowhere, so that it may go in
  /// closed form.
  bool is_clear(const NetworkMessage& message, const Burst& burst, const Steps& steps, Time start) const;

  /// Sends a burst packet by packet, beginning at its gate at `start`. Reports to the network when the gate
  /// is free again (flight_left) and when everything has arrived (flight_arrived).
  void launch(NetworkMessage& message, const Burst& burst, Time start);
  /// Called when the node has room again for payload that was refused.
  void room_freed(fabric::NodeId node);

  unsigned queued(LinkId link) const override;
  /// The number of packets in buffers or on links.
  std::size_t packets_under_way() const { return packets_under_way_; }

 private:
  struct Packet;
  struct Buffer;
  struct Output;

  Output& output_of(LinkId link);
  Output& ejection_of(fabric::NodeId node);
  void start_packet(Flight& flight);
  void gate_reached(Packet& packet);
  void packet_left_gate(Packet& packet, Time granted);
  void gate_free(Flight& flight);
  void arrives(Packet& packet);
  void ask(Buffer& buffer);
  void serve(Output& output);
  bool serve_one(Output& output, Time* again);
  void grant_link(Output& output, Buffer& buffer, Buffer& next, Time duration);
  void grant_ejection(Output& output, Buffer& buffer, Time duration);
  Time into_node(const Packet& packet) const;
  Packet& take_first(Buffer& buffer);
  void free_place(Buffer& buffer, Time when);
  void wake(Output& output, Time when);
  void packet_done(Packet& packet, Time arrived);
  void finish(Flight& flight);
  std::size_t wire_bytes(std::size_t bytes) const;
  bool credits_come_in_time() const;

  Network& network_;
  Engine& engine_;
  const NetworkModel& model_;
  const Topology& topology_;
  std::vector<Link> links_;
  Router router_;
  bool one_by_one_;                  // nothing goes in closed form
  std::vector<std::uint32_t> slow_;  // percent, by link; empty while all are as fast as they should be
  std::deque<Output> outputs_;
  std::vector<Buffer> injections_;        // by node, from the first packet on
  std::vector<std::uint32_t> ejections_;  // by node, likewise: one more than a place in outputs_
  std::deque<Packet> packets_;
  std::deque<Flight> flights_;
  std::vector<Packet*> free_packets_;
  std::vector<Flight*> free_flights_;
  std::size_t packets_under_way_ = 0;
};

}  // namespace aqueduct::sim
