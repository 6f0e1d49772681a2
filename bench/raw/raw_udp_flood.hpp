// A bare flood over UDP: several threads of rank 0, each with a socket, send datagrams that the kernel cuts
// (UDP_SEGMENT) to several ranks in turn, with as much flow control as it takes to lose nothing. What the
// floods of `aqueduct bench` over the udp conduit are measured against.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fabric/udp/live_socket.hpp"
#include "many_flood.hpp"

namespace aqueduct::bench {

class RawUdpFlood {
 public:
  /// Collective: opens a socket and tells everybody where it is. Throws Unsuitable.
  explicit RawUdpFlood(Session& session);

  /// Messages of `bytes`, as am-flood and put-flood of that shape have them. Null where a datagram is too
  /// small.
  Batch flood(std::size_t bytes, const FloodShape& shape);

 private:
  void send_from(unsigned thread, const FloodShape& shape, std::size_t bytes, std::uint64_t count);
  void receive(const FloodShape& shape, std::size_t bytes, std::uint64_t count);
  std::unique_ptr<fabric::udp::LiveSocket> open();

  Session& session_;
  std::unique_ptr<fabric::udp::LiveSocket> socket_;
  std::vector<std::unique_ptr<fabric::udp::LiveSocket>> senders_;  // of threads of rank 0
  std::vector<net::Address> addresses_;                            // by rank
};

}  // namespace aqueduct::bench
