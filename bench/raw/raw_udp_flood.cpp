#include "raw/raw_udp_flood.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fabric/udp/settings.hpp"
#include "net/system_address.hpp"
#include "stopwatch.hpp"
#include "world/world.hpp"

namespace aqueduct::bench {
namespace {

/// How every datagram begins; a message is at least as long as a short active message with its headers.
struct FloodHead {
  std::uint64_t batch;
  std::uint64_t thread;
};
constexpr std::size_t kLeastBytes = 64;
/// What is on its way to one rank at most, from all threads, and how often that rank says how far it is.
constexpr std::size_t kRankWindow = std::size_t{1} << 20;
constexpr std::size_t kAcksEach = 8;
constexpr std::size_t kMostAtOnce = 65'000;  // bytes that the kernel takes in one call
constexpr std::size_t kMostCut = 64;         // datagrams that it cuts from them

/// What a rank answers: how many bytes of that thread have come in this batch.
struct FloodAnswer {
  std::uint64_t batch;
  std::uint64_t peer;  ///< its place in the shape
  std::uint64_t arrived;
};

/// Batches are numbered, so that a late answer is known for one.
std::uint64_t batches_begun = 0;

[[noreturn]] void give_up_flood() {
  fmt::print(stderr, "aqueduct bench: the bare UDP flood has lost a datagram; run it again\n");
  gasnet_exit(1);
}

/// Looks after what has been waited for too long, and gives the core away now and then.
class Patience {
 public:
  void wait() {
    constexpr unsigned kLooksBeforeYield = 1U << 8;
    constexpr double kLongestNs = 5e9;
    if (++looks_ % kLooksBeforeYield != 0) return;
    ::sched_yield();
    if (watch_.ns() > kLongestNs) give_up_flood();
  }
  void go_on() { watch_ = Stopwatch{}; }

 private:
  Stopwatch watch_;
  unsigned looks_ = 0;
};

/// Of one thread to one rank. The kernel counts some hundred bytes more for each datagram.
std::uint64_t window_bytes_of(std::size_t room, std::size_t bytes, const FloodShape& shape) {
  constexpr std::uint64_t kKernelBytes = 768;
  return std::min(kRankWindow, room / 4) * bytes / (bytes + kKernelBytes) / shape.threads;
}

void send_cut(int socket, const net::Address& to, std::byte* from, std::size_t bytes, std::size_t datagram) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(std::uint16_t))] = {};
  net::SocketAddress system;
  iovec part{from, bytes};
  msghdr header = {};
  header.msg_namelen = net::to_system(to, system);
  header.msg_name = &system.any;
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (bytes > datagram) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* const segment = CMSG_FIRSTHDR(&header);
    segment->cmsg_level = SOL_UDP;
    segment->cmsg_type = UDP_SEGMENT;
    segment->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = static_cast<std::uint16_t>(datagram);
    std::memcpy(CMSG_DATA(segment), &size, sizeof size);
  }
  while (::sendmsg(socket, &header, 0) < 0) {
    if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) continue;
    fmt::print(stderr, "aqueduct bench: this kernel does not cut UDP datagrams: {}\n", std::strerror(errno));
    gasnet_exit(1);
  }
}

}  // namespace

RawUdpFlood::RawUdpFlood(Session& session) : session_(session), socket_(open()) {
  const net::Address own = socket_->address();
  std::uint64_t words[3];
  std::memcpy(words, own.host.data(), 16);
  words[2] = std::uint64_t{own.port} << 16 | static_cast<std::uint64_t>(own.family);
  addresses_.resize(session.size());
  for (unsigned i = 0; i < 3; ++i) {
    const std::vector<std::uint64_t> all = session.gather(words[i]);
    for (gex_Rank_t rank = 0; rank < session.size(); ++rank) {
      net::Address& address = addresses_[rank];
      if (i < 2) {
        std::memcpy(address.host.data() + std::size_t{8} * i, &all[rank], 8);
      } else {
        address.port = static_cast<std::uint16_t>(all[rank] >> 16);
        address.family = static_cast<net::Address::Family>(all[rank] & 0xFFFF);
      }
    }
  }
}

std::unique_ptr<fabric::udp::LiveSocket> RawUdpFlood::open() {
  fabric::udp::LiveSocketSettings settings;
  settings.address = fabric::udp::local_address_setting(world::live().place());
  std::string why;
  auto socket = fabric::udp::LiveSocket::open(settings, &why);
  if (!socket) throw Unsuitable(why);
  return socket;
}

void RawUdpFlood::send_from(unsigned thread, const FloodShape& shape, std::size_t bytes,
                            std::uint64_t count) {
  struct Way {
    std::uint64_t total = 0, sent = 0, arrived = 0;
  };
  const FloodShape mine{.threads = 1, .peers = [&] {
                          std::vector<gex_Rank_t> peers = shape.peers;
                          std::rotate(peers.begin(), peers.begin() + thread % peers.size(), peers.end());
                          return peers;
                        }()};
  const std::uint64_t share = shape.share_of(thread, count);
  std::vector<Way> ways(shape.peers.size());
  for (std::size_t i = 0; i < ways.size(); ++i)
    ways[i].total = mine.received_by(shape.peers[i], share) * bytes;
  const int socket = senders_[thread]->wake_fd();
  const std::size_t at_once = std::min(kMostAtOnce / bytes, kMostCut) * bytes;
  const std::uint64_t window =
      std::max<std::uint64_t>(window_bytes_of(socket_->receive_room(), bytes, shape), at_once);
  std::vector<std::byte> buffer(at_once);
  const FloodHead head{batches_begun, thread};
  for (std::size_t at = 0; at < at_once; at += bytes) std::memcpy(&buffer[at], &head, sizeof head);
  Patience patience;
  std::size_t unfinished = ways.size();
  for (Way& way : ways) unfinished -= way.total == 0 ? 1 : 0;
  while (unfinished != 0) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Way& way = ways[i];
      if (way.sent == way.total || way.sent - way.arrived >= window) continue;
      const std::size_t now =
          static_cast<std::size_t>(std::min<std::uint64_t>(at_once, way.total - way.sent));
      send_cut(socket, addresses_[shape.peers[i]], buffer.data(), now, bytes);
      way.sent += now;
    }
    FloodAnswer answers[kMostCut];
    const ssize_t got = ::recv(socket, answers, sizeof answers, MSG_DONTWAIT);
    if (got <= 0) {
      patience.wait();
      continue;
    }
    patience.go_on();
    for (std::size_t i = 0; i < static_cast<std::size_t>(got) / sizeof(FloodAnswer); ++i) {
      const FloodAnswer& answer = answers[i];
      if (answer.batch != batches_begun || answer.peer >= ways.size()) continue;
      Way& way = ways[answer.peer];
      if (answer.arrived <= way.arrived) continue;
      way.arrived = answer.arrived;
      if (way.arrived == way.total) --unfinished;
    }
  }
}

void RawUdpFlood::receive(const FloodShape& shape, std::size_t bytes, std::uint64_t count) {
  const auto index =
      static_cast<std::uint64_t>(std::ranges::find(shape.peers, session_.rank()) - shape.peers.begin());
  const std::uint64_t total = shape.received_by(session_.rank(), count) * bytes;
  const std::uint64_t between = window_bytes_of(socket_->receive_room(), bytes, shape) / kAcksEach;
  std::vector<std::uint64_t> arrived(shape.threads), told(shape.threads);
  std::vector<net::SocketAddress> from(shape.threads);
  std::vector<std::byte> buffer(1 << 16);
  const auto tell = [&](std::size_t thread) {
    const FloodAnswer answer{batches_begun, index, arrived[thread]};
    ::sendto(socket_->wake_fd(), &answer, sizeof answer, 0, &from[thread].any, sizeof from[thread]);
    told[thread] = arrived[thread];
  };
  Patience patience;
  for (std::uint64_t all = 0; all < total;) {
    net::SocketAddress sender;
    socklen_t sender_bytes = sizeof sender;
    const ssize_t got = ::recvfrom(socket_->wake_fd(), buffer.data(), buffer.size(), MSG_DONTWAIT,
                                   &sender.any, &sender_bytes);
    if (got <= 0) {
      // A sender's window may be smaller than what is told by itself.
      for (std::size_t thread = 0; thread < arrived.size(); ++thread) {
        if (arrived[thread] != told[thread]) tell(thread);
      }
      patience.wait();
      continue;
    }
    FloodHead head;
    std::memcpy(&head, buffer.data(), sizeof head);
    if (static_cast<std::size_t>(got) < sizeof head || head.batch != batches_begun ||
        head.thread >= shape.threads)
      continue;
    patience.go_on();
    from[head.thread] = sender;
    arrived[head.thread] += static_cast<std::uint64_t>(got);
    all += static_cast<std::uint64_t>(got);
    if (arrived[head.thread] - told[head.thread] >= between) tell(head.thread);
  }
  for (std::size_t thread = 0; thread < arrived.size(); ++thread) {
    if (arrived[thread] != 0) tell(thread);
  }
}

Batch RawUdpFlood::flood(std::size_t bytes, const FloodShape& shape) {
  bytes = std::max(bytes, kLeastBytes);
  bool fits = true;
  for (const gex_Rank_t peer : shape.peers)
    fits = fits && bytes <= std::min(socket_->largest_datagram(addresses_[peer]), kMostAtOnce);
  if (session_.agree(fits ? 1 : 0) == 0) return nullptr;
  while (session_.measures() && senders_.size() < shape.threads) senders_.push_back(open());
  return [this, bytes, shape](std::uint64_t count) {
    ++batches_begun;
    if (session_.measures())
      return run_together(shape.threads, [&](unsigned thread) { send_from(thread, shape, bytes, count); });
    if (shape.received_by(session_.rank(), count) != 0) receive(shape, bytes, count);
    return 0.0;
  };
}

}  // namespace aqueduct::bench
