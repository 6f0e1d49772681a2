// A socket of the operating system that loses every 31st call of a lane and has no room in every 43rd.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "fabric/udp/live_socket.hpp"

namespace aqueduct::fabric::udp {

class LossySocket final : public DatagramSocket {
 public:
  explicit LossySocket(std::unique_ptr<LiveSocket> socket) : socket_(std::move(socket)) {}

  net::Address address() const override { return socket_->address(); }
  std::size_t largest_datagram(const net::Address&) override { return 9000; }
  std::size_t receive_room() const override { return socket_->receive_room(); }
  int wake_fd() const override { return socket_->wake_fd(); }
  std::span<const Arrived> receive() override { return socket_->receive(); }
  std::size_t send(std::span<const Burst> bursts, unsigned lane) override {
    const unsigned call = ++calls_[lane];
    if (call % 43 == 0) return 0;
    return call % 31 == 0 ? bursts.size() : socket_->send(bursts, lane);
  }
  unsigned lanes_used() const {
    return static_cast<unsigned>(std::ranges::count_if(calls_, [](unsigned calls) { return calls != 0; }));
  }

 private:
  std::unique_ptr<LiveSocket> socket_;
  std::array<unsigned, kLanes> calls_{};
};

}  // namespace aqueduct::fabric::udp
