// Datagrams of the simulated network: the socket on which the protocol over UDP (fabric/udp/) runs in a
// simulation, with the links, windows and acknowledgements that live ranks have.
//
// A datagram is a message of the rank's port, with what IP and UDP put before it as its header; so faults,
// the network's speeds and the costs of the port (sim_port.hpp) are those of the network's file. The largest
// datagram is nic.datagram_bytes, else what a loopback interface takes.
//
// receive() with nothing to show takes time, if only a nanosecond, and after some looks in vain rests for up
// to a microsecond: code that looks again and again gets ahead.
#pragma once
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fabric/udp/datagram_socket.hpp"
#include "sim/host.hpp"
#include "sim/sim_port.hpp"

namespace aqueduct::sim {

class Datagrams final : public fabric::udp::DatagramSocket, private fabric::PortClient {
 public:
  Datagrams(SimPort& port, Host& host);

  /// Where the others reach a node.
  static net::Address address_of(fabric::NodeId node);

  net::Address address() const override { return address_of(port_.self()); }
  std::size_t largest_datagram(const net::Address&) override { return largest_; }
  std::size_t send(std::span<const fabric::udp::Burst> bursts, unsigned lane) override;
  std::span<const fabric::udp::Arrived> receive() override;
  std::size_t receive_room() const override { return kRoom; }
  int wake_fd() const override { return -1; }

 private:
  using Bytes = std::vector<std::byte>;
  struct Datagram {
    fabric::NodeId from = 0;
    Bytes bytes;
  };
  static constexpr std::size_t kRoom = std::size_t{8} << 20;
  static constexpr std::size_t kAtOnce = 16;

  bool send_one(fabric::NodeId to, Bytes bytes);

  void arrived(const fabric::Arrival& arrival) override;
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override;
  void sent(std::uint64_t cookie) override { leaving_.erase(cookie); }
  bool awaits_sent(std::uint64_t) override { return false; }
  void undeliverable(std::uint64_t, fabric::NodeId, std::span<const std::byte>) override {}  // it is lost

  SimPort& port_;
  Host& host_;
  std::size_t largest_;
  unsigned fruitless_ = 0;  // looks in a row
  std::uint64_t last_cookie_ = 0;
  std::unordered_map<std::uint64_t, Bytes> leaving_;     // looked up, never walked
  std::unordered_map<std::uint64_t, Datagram> landing_;  // likewise
  std::deque<Datagram> inbox_;
  std::vector<Datagram> shown_;
  std::vector<fabric::udp::Arrived> arrived_;
};

}  // namespace aqueduct::sim
