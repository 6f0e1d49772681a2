// The bare UDP socket, for comparison with udp.
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "fabric/udp/live_socket.hpp"
#include "fabric/udp/settings.hpp"
#include "raw/raw_interface.hpp"
#include "raw/raw_udp_flood.hpp"
#include "stopwatch.hpp"
#include "world/world.hpp"

namespace aqueduct::bench {
namespace {

/// As long as a short active message with its headers.
constexpr std::size_t kShortBytes = 64;
/// The most bytes under way, and the interval of the receiver's acknowledgements.
constexpr std::size_t kWindowBytes = std::size_t{1} << 20;
constexpr unsigned kAcksPerWindow = 8;
constexpr std::size_t kLargestMessage = 65'000;  // the largest datagram for any address
constexpr unsigned kMostDatagrams = 64;          // the datagrams that the kernel cuts from one send

[[noreturn]] void give_up(const char* what) {
  fmt::print(stderr, "aqueduct bench: the bare UDP {} has lost a datagram; run it again\n", what);
  gasnet_exit(1);
}

/// The last acknowledgement; the kernel joins several.
std::uint64_t last_of(const std::uint64_t* acks, std::size_t bytes) {
  return acks[std::max<std::size_t>(bytes / sizeof *acks, 1) - 1];
}

class RawUdp final : public RawInterface {
 public:
  explicit RawUdp(Session& session);

  std::string ping_pong_name() const override { return "bare UDP datagrams, busy-polled"; }
  std::string stream_name() const override {
    return fmt::format("a bare stream of UDP datagrams of up to {} bytes, cut and joined by the kernel",
                       largest_);
  }
  Batch ping_pong(std::size_t bytes) override;
  Batch stream(std::size_t bytes) override;
  Batch flood(std::size_t bytes, const FloodShape& shape) override {
    if (!flood_) flood_ = std::make_unique<RawUdpFlood>(session_);
    return flood_->flood(bytes, shape);
  }

 private:
  void connect();
  std::size_t receive(void* to, std::size_t bytes, const char* what);
  double bounce(std::size_t bytes, std::uint64_t count);
  double send_stream(std::size_t bytes, std::uint64_t count);
  void receive_stream(std::size_t bytes, std::uint64_t count);
  void send_message(std::byte* from, std::size_t bytes, std::size_t datagram_bytes);

  Session& session_;
  std::unique_ptr<RawUdpFlood> flood_;
  std::unique_ptr<fabric::udp::LiveSocket> socket_;
  std::size_t largest_ = 0;  // datagram
  std::size_t window_ = 0;
  std::vector<std::byte> buffer_;
  std::uint64_t acks_[kMostDatagrams];
};

RawUdp::RawUdp(Session& session) : session_(session) {
  fabric::udp::LiveSocketSettings settings;
  settings.address = fabric::udp::local_address_setting(world::live().place());
  std::string why;
  socket_ = fabric::udp::LiveSocket::open(settings, &why);
  if (!socket_) throw Unsuitable(why);
  connect();
}

/// All ranks exchange their addresses, in three words.
void RawUdp::connect() {
  const net::Address own = socket_->address();
  std::uint64_t words[3];
  std::memcpy(words, own.host.data(), 16);
  words[2] = std::uint64_t{own.port} << 16 | static_cast<std::uint64_t>(own.family);
  net::Address peer;
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint64_t word = session_.gather(words[i])[session_.partner()];
    if (i < 2) std::memcpy(peer.host.data() + std::size_t{8} * i, &word, 8);
    if (i < 2) continue;
    peer.port = static_cast<std::uint16_t>(word >> 16);
    peer.family = static_cast<net::Address::Family>(word & 0xFFFF);
  }
  largest_ = std::min(socket_->largest_datagram(peer), kLargestMessage);
  window_ = std::min(kWindowBytes, socket_->receive_room() / 2);
  net::SocketAddress system;
  const socklen_t bytes = net::to_system(peer, system);
  if (::connect(socket_->wake_fd(), &system.any, bytes) != 0)
    throw Unsuitable(
        fmt::format("--against raw: cannot connect to {}: {}", peer.text(), std::strerror(errno)));
}

/// Polls; yields the core now and then, because the partner may need it.
std::size_t RawUdp::receive(void* to, std::size_t bytes, const char* what) {
  constexpr unsigned kLooksBeforeYield = 1U << 10;
  constexpr double kLongestNs = 5e9;
  const Stopwatch watch;
  for (unsigned looks = 1;; ++looks) {
    const ssize_t got = ::recv(socket_->wake_fd(), to, bytes, MSG_DONTWAIT);
    if (got > 0) return static_cast<std::size_t>(got);
    if (looks % kLooksBeforeYield != 0) continue;
    ::sched_yield();
    if (watch.ns() > kLongestNs) give_up(what);
  }
}

double RawUdp::bounce(std::size_t bytes, std::uint64_t count) {
  const int fd = socket_->wake_fd();
  Stopwatch watch;
  for (std::uint64_t i = 0; i < kWarmUp + count; ++i) {
    if (i == kWarmUp) watch = Stopwatch{};
    if (session_.measures()) ::send(fd, buffer_.data(), bytes, 0);
    receive(buffer_.data(), buffer_.size(), "ping-pong");
    if (!session_.measures()) ::send(fd, buffer_.data(), bytes, 0);
  }
  return watch.ns();
}

Batch RawUdp::ping_pong(std::size_t bytes) {
  const std::size_t datagram = std::max(bytes, kShortBytes);
  if (datagram > largest_)
    throw Unsuitable(fmt::format("--against raw: a datagram has at most {} bytes here", largest_));
  buffer_.resize(std::max(buffer_.size(), datagram));
  return [this, datagram](std::uint64_t count) {
    return session_.measures() || session_.serves() ? bounce(datagram, count) : 0.0;
  };
}

void RawUdp::send_message(std::byte* from, std::size_t bytes, std::size_t datagram_bytes) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(std::uint16_t))] = {};
  iovec part{from, bytes};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (bytes > datagram_bytes) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* const segment = CMSG_FIRSTHDR(&header);
    segment->cmsg_level = SOL_UDP;
    segment->cmsg_type = UDP_SEGMENT;
    segment->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = static_cast<std::uint16_t>(datagram_bytes);
    std::memcpy(CMSG_DATA(segment), &size, sizeof size);
  }
  while (::sendmsg(socket_->wake_fd(), &header, 0) < 0) {
    if (errno != EAGAIN && errno != ENOBUFS) {
      fmt::print(stderr, "aqueduct bench: this kernel does not cut UDP datagrams: {}\n",
                 std::strerror(errno));
      gasnet_exit(1);
    }
  }
}

/// Counts bytes only: datagrams of one socket to another on a path without loss keep their order.
double RawUdp::send_stream(std::size_t bytes, std::uint64_t count) {
  const std::uint64_t total = bytes * count;
  const std::size_t datagram = std::min(bytes, largest_);
  const std::size_t message = std::min(kLargestMessage / datagram, std::size_t{kMostDatagrams}) * datagram;
  const Stopwatch watch;
  std::uint64_t sent = 0, arrived = 0;
  while (arrived < total) {
    while (sent < total && sent - arrived < window_) {
      // Cuts messages that are larger than a send; shorter ones share a send.
      const std::size_t at = bytes > message ? sent % bytes : 0;
      std::size_t now = static_cast<std::size_t>(std::min<std::uint64_t>(message, total - sent));
      if (bytes > message) now = std::min(now, bytes - at);
      send_message(buffer_.data() + at, now, datagram);
      sent += now;
      const ssize_t got = ::recv(socket_->wake_fd(), acks_, sizeof acks_, MSG_DONTWAIT);
      if (got > 0) arrived = last_of(acks_, static_cast<std::size_t>(got));
    }
    if (arrived < total) arrived = last_of(acks_, receive(acks_, sizeof acks_, "stream"));
  }
  return watch.ns();
}

void RawUdp::receive_stream(std::size_t bytes, std::uint64_t count) {
  const std::uint64_t total = bytes * count;
  std::uint64_t arrived = 0, told = 0;
  while (arrived < total) {
    // Copies to the place at which a transfer of this size would land.
    const std::size_t at = static_cast<std::size_t>(arrived % bytes);
    arrived += receive(buffer_.data() + at, 1 << 16, "stream");
    if (arrived - told < window_ / kAcksPerWindow && arrived < total) continue;
    ::send(socket_->wake_fd(), &arrived, sizeof arrived, 0);
    told = arrived;
  }
}

Batch RawUdp::stream(std::size_t bytes) {
  bytes = std::max(bytes, kShortBytes);
  buffer_.resize(std::max<std::size_t>(buffer_.size(), bytes + (1 << 16)));
  return [this, bytes](std::uint64_t count) {
    if (session_.measures()) return send_stream(bytes, count);
    if (session_.serves()) receive_stream(bytes, count);
    return 0.0;
  };
}

}  // namespace

std::unique_ptr<RawInterface> open_raw_udp(Session& session) { return std::make_unique<RawUdp>(session); }

}  // namespace aqueduct::bench
