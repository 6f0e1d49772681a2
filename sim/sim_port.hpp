// A port of the simulated network.
//
// Reports reach the client from the event loop, as a network interface sees them, or, with
// Setup::reports_wait, from progress(), as code that polls a live fabric sees them. Either way the host is
// notified.
//
// A rank that uses the port itself pays for its calls (Setup::reports_wait), by the costs of the network's
// file that it has:
//
//   port_send      before a message leaves, and for each byte; port_sent: after it has left, before the call returns
//   port_receive   progress(), for each message that it reports, and for each byte
//   port_receive_more  in its place, for each message after the first of a call: what lies there together is taken together
//   port_crossed   likewise, for a message that came while the rank itself was sending: where one kernel carries both, each
//                  disturbs the other
//   port_other_peer  by a message to or from another peer than the last one, each time that the peers to which this rank has
//                  sent are doubled; of several messages that one call of progress() reports, or that leave between two
//                  calls, by the first such one: a rank waits for the others once, however many it has news of then
//   port_poll      progress() that finds nothing
#pragma once
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/network.hpp"

namespace aqueduct::sim {

class SimPort final : public fabric::Port {
 public:
  SimPort(Network& network, fabric::NodeId self, bool reports_wait)
      : network_(network), self_(self), reports_wait_(reports_wait) {}

  fabric::Traits traits() const override;
  fabric::NodeId self() const override { return self_; }
  unsigned distance(fabric::NodeId port) const override;
  void set_client(fabric::PortClient& client) override { client_ = &client; }
  fabric::Post send(fabric::NodeId target, std::span<const std::byte> header,
                    std::span<const fabric::Piece> payload, std::uint64_t cookie) override;
  /// Even on an unordered network these messages of a pair arrive in the order of these calls.
  fabric::Post send_in_order(fabric::NodeId target, std::span<const std::byte> header,
                             std::span<const fabric::Piece> payload, std::uint64_t cookie) {
    return network_.send(*this, target, header, payload, cookie, true);
  }
  void accept(std::uint64_t arrival, std::span<const fabric::Piece> where, std::size_t keep_bytes,
              std::uint64_t cookie) override {
    network_.accept(arrival, where, keep_bytes, cookie);
  }
  void discard(std::uint64_t arrival) override { network_.discard(arrival); }
  unsigned progress() override;
  /// Its client is gone: drops messages that have come and will come.
  void close();
  /// From now on reports do not wait for progress().
  void report_at_once();

 private:
  friend class Network;

  struct Report {
    enum class Kind : std::uint8_t { kArrived, kLanded, kSent, kUndeliverable, kLost } kind;
    fabric::Outcome outcome = fabric::Outcome::kOk;
    fabric::NodeId peer = 0;
    std::uint64_t cookie = 0;
    NetworkMessage* message = nullptr;  // of kArrived and kUndeliverable; held until it is reported
    bool crossed = false;               // it came during a send() of this port
  };
  /// Reports to the client, now or in progress().
  void report(const Report& report);
  void tell(const Report& report);
  /// By the rank, if it uses the port itself.
  void pay(std::optional<CostId> cost, std::size_t bytes = 0, unsigned times = 1);
  /// The same where `peer` is not `last`, which it becomes, once until `has_paid` is false again.
  void pay_for_other_peer(fabric::NodeId peer, fabric::NodeId& last, bool& has_paid);

  Network& network_;
  fabric::NodeId self_;
  bool reports_wait_;
  bool sends_ = false;
  bool sent_to_other_ = false;  // since the last progress(): port_other_peer has been paid
  fabric::PortClient* client_ = nullptr;
  std::uint32_t under_way_ = 0;
  static constexpr fabric::NodeId kNobody = ~fabric::NodeId{0};
  fabric::NodeId last_target_ = kNobody;
  fabric::NodeId last_source_ = kNobody;
  PeerMap<std::uint32_t> lanes_;          // by target: one more than a place in Network::lanes_
  PeerMap<std::uint32_t> ordered_lanes_;  // likewise, of send_in_order()
  std::vector<Report> reports_;           // from first_report_ on
  std::size_t first_report_ = 0;
};

}  // namespace aqueduct::sim
