#include "fabric/udp/live_socket.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

namespace aqueduct::fabric::udp {
namespace {

using net::SocketAddress;
using Family = net::Address::Family;

constexpr std::size_t kMessageBytes = 1 << 16;
static_assert(kMessageBytes <= Place::kMostBuffered);
/// One call of receive() takes about so much at most.
constexpr std::size_t kHotBytes = std::size_t{96} << 10;

bool set_option(int socket, int level, int option, int value) {
  return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

int option_of(int socket, int level, int option) {
  int value = 0;
  socklen_t bytes = sizeof value;
  return ::getsockopt(socket, level, option, &value, &bytes) == 0 ? value : 0;
}

/// As large as is allowed: the limit of the system does not hold for whoever may administer the network.
void enlarge(int socket, int option, int option_with_force, std::size_t bytes) {
  const int wished = static_cast<int>(bytes);
  if (set_option(socket, SOL_SOCKET, option_with_force, wished)) return;
  set_option(socket, SOL_SOCKET, option, wished);
}

void forbid_fragments(int socket, Family family) {
  if (family == Family::kV6) {
    set_option(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
    set_option(socket, IPPROTO_IPV6, IPV6_DONTFRAG, 1);
  } else {
    set_option(socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
  }
}

/// What the kernel says when it cannot cut a message, or not for this path.
bool is_refusal_to_cut(int error) {
  return error == EIO || error == EINVAL || error == EMSGSIZE || error == ENOPROTOOPT || error == EOPNOTSUPP;
}

// In a process of several threads the C library's functions turn cancellation on and off around the system
// call, with two atomic instructions each; most looks find nothing and take little longer than that.
// ThreadSanitizer has to see the functions.
ssize_t receive_one(int socket, void* to, std::size_t bytes, sockaddr* from, socklen_t* from_bytes) {
#if defined(__SANITIZE_THREAD__)
  return ::recvfrom(socket, to, bytes, MSG_DONTWAIT, from, from ? from_bytes : nullptr);
#else
  return ::syscall(SYS_recvfrom, socket, to, bytes, MSG_DONTWAIT, from, from ? from_bytes : nullptr);
#endif
}

ssize_t send_one(int socket, const void* from, std::size_t bytes) {
#if defined(__SANITIZE_THREAD__)
  return ::send(socket, from, bytes, 0);
#else
  return ::syscall(SYS_sendto, socket, from, bytes, 0, nullptr, 0);
#endif
}

bool is_one_datagram(const Burst& burst) {
  if (burst.parts.size() > Burst::kMostParts) return false;
  std::size_t bytes = 0;
  for (const iovec& part : burst.parts) bytes += part.iov_len;
  return bytes <= burst.datagram_bytes;
}

}  // namespace

struct LiveSocket::Inbox {
  struct Message {
    SocketAddress from;
    iovec part;
    BufferPool::Buffer memory;
    alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(int))];
  };

  Inbox() {
    for (unsigned i = 0; i < kMostMessages; ++i) {
      messages[i].memory = std::make_unique_for_overwrite<std::byte[]>(Place::kMostBuffered);
      messages[i].part = {messages[i].memory.get(), kMessageBytes};
      headers[i] = {};
      headers[i].msg_hdr.msg_name = &messages[i].from;
      headers[i].msg_hdr.msg_iov = &messages[i].part;
      headers[i].msg_hdr.msg_iovlen = 1;
      headers[i].msg_hdr.msg_control = messages[i].control;
    }
  }

  std::array<mmsghdr, kMostMessages> headers;
  std::array<Message, kMostMessages> messages;
  std::array<Arrived, kMostMessages> arrived;
  unsigned look_for = 1;       // messages, in the next call
  bool has_found_one = false;  // in the last call, which looked for one
};

std::unique_ptr<LiveSocket> LiveSocket::open(const LiveSocketSettings& settings, std::string* why) {
  SocketAddress system;
  const socklen_t bytes = net::to_system(settings.address, system);
  net::Descriptor socket(::socket(system.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const char* step = "open a UDP socket for";
  if (socket && system.any.sa_family == AF_INET6) set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (socket) {
    step = "bind a UDP socket to";
    if (::bind(socket.get(), &system.any, bytes) == 0)
      return std::make_unique<LiveSocket>(settings, std::move(socket));
  }
  const int error = errno;
  *why = std::string("cannot ") + step + " " + settings.address.text() + ": " + std::strerror(error);
  if (error == EADDRINUSE) *why += "; choose another port, or leave the choice to the system";
  if (error == EADDRNOTAVAIL) *why += "; choose an address of this host";
  return nullptr;
}

LiveSocket::LiveSocket(const LiveSocketSettings& settings, net::Descriptor bound)
    : socket_(std::move(bound)),
      send_messages_(settings.send_messages),
      may_segment_(settings.may_segment),
      overhead_bytes_(settings.address.family == Family::kV6 ? 48 : 28),
      buffer_bytes_(settings.buffer_bytes),
      inbox_(std::make_unique<Inbox>()),
      datagrams_say_size_(settings.datagrams_say_size),
      says_sender_(settings.says_sender) {
  const int fd = socket_.get();
  SocketAddress system = {};
  socklen_t bytes = sizeof system;
  ::getsockname(fd, &system.any, &bytes);
  address_ = net::from_system(system);
  enlarge(fd, SO_RCVBUF, SO_RCVBUFFORCE, settings.buffer_bytes);
  enlarge(fd, SO_SNDBUF, SO_SNDBUFFORCE, settings.buffer_bytes);
  // The system counts its own overhead, and says twice what one gets.
  receive_room_ = static_cast<std::size_t>(option_of(fd, SOL_SOCKET, SO_RCVBUF)) / 2;
  forbid_fragments(fd, address_.family);
  // A kernel that does not know the option says so here, and there is no need to try with each burst.
  may_segment_ = settings.may_segment && set_option(fd, SOL_UDP, UDP_SEGMENT, 0);
  coalesces_ = settings.may_coalesce && set_option(fd, SOL_UDP, UDP_GRO, 1);
}

LiveSocket::~LiveSocket() = default;

std::size_t LiveSocket::HashAddress::operator()(const net::Address& address) const {
  std::uint64_t words[2];
  std::memcpy(words, address.host.data(), sizeof words);
  return (words[0] ^ words[1] * 0x9E37'79B9'7F4A'7C15) + address.port * std::size_t{0x9E37'79B9};
}

std::size_t LiveSocket::largest_datagram(const net::Address& peer) {
  {
    const std::lock_guard guard(largest_lock_);
    const auto known = largest_.find(peer);
    if (known != largest_.end()) return known->second;
  }
  // The least that every path must carry, should nothing be known.
  constexpr int kLeastMtu = 576, kLeastMtuV6 = 1280;
  SocketAddress system;
  const socklen_t bytes = net::to_system(peer, system);
  const bool is_v6 = peer.family == Family::kV6;
  const net::Descriptor probe(::socket(system.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  int mtu = 0;
  if (probe && ::connect(probe.get(), &system.any, bytes) == 0)
    mtu = is_v6 ? option_of(probe.get(), IPPROTO_IPV6, IPV6_MTU) : option_of(probe.get(), IPPROTO_IP, IP_MTU);
  mtu = std::clamp(mtu, is_v6 ? kLeastMtuV6 : kLeastMtu, 0xFFFF);
  const std::lock_guard guard(largest_lock_);
  return largest_[peer] = static_cast<std::size_t>(mtu) - overhead_bytes_;
}

int LiveSocket::connected_to(const net::Address& to, Lane& lane) {
  constexpr unsigned kOften = 64;
  FrequentPeer& peer = lane.frequent[HashAddress()(to) % kFrequentPeers];
  if (peer.address != to) {
    if (peer.calls != 0 && --peer.calls != 0) return -1;  // the other one is more frequent
    peer.socket.close();
    peer.address = to;
  }
  if (peer.calls <= kOften) ++peer.calls;
  if (peer.socket || peer.calls != kOften) return peer.socket.get();
  net::Address from = address_;
  from.port = 0;
  SocketAddress system;
  const socklen_t from_bytes = net::to_system(from, system);
  net::Descriptor socket(::socket(system.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket || ::bind(socket.get(), &system.any, from_bytes) != 0) return -1;
  forbid_fragments(socket.get(), to.family);
  enlarge(socket.get(), SO_SNDBUF, SO_SNDBUFFORCE, buffer_bytes_);
  const socklen_t to_bytes = net::to_system(to, system);
  if (::connect(socket.get(), &system.any, to_bytes) != 0) return -1;
  peer.socket = std::move(socket);
  return peer.socket.get();
}

bool LiveSocket::send_alone(const Burst& burst, Lane& lane) {
  const iovec& first = burst.parts.front();
  msghdr message = {};
  message.msg_iov = const_cast<iovec*>(burst.parts.data());
  message.msg_iovlen = burst.parts.size();
  const auto is_taken = [&](int socket) {
    const bool is_one_piece = message.msg_iovlen == 1 && !message.msg_name;
    ++lane.counts.send_calls;
    const ssize_t sent = is_one_piece ? send_one(socket, first.iov_base, first.iov_len)  // the cheapest call
                                      : ::sendmsg(socket, &message, 0);
    lane.counts.datagrams_sent += sent >= 0;
    return sent >= 0;
  };
  // What the network has reported of an earlier one at the connected socket is no reason for this one.
  if (const int connected = connected_to(burst.to, lane); connected >= 0 && is_taken(connected)) return true;
  SocketAddress to;
  message.msg_namelen = net::to_system(burst.to, to);
  message.msg_name = &to.any;
  for (;;) {
    if (is_taken(socket_.get())) return true;
    const Refusal refusal = judge(errno, 1, burst.to, lane);
    if (refusal == Refusal::kNoRoom) return false;
    if (refusal == Refusal::kLost) return true;
  }
}

LiveSocket::Refusal LiveSocket::judge(int error, unsigned datagrams, const net::Address& to, Lane& lane) {
  if (error == EINTR) return Refusal::kAgain;
  if (error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == ENOMEM) {
    ++lane.counts.no_room;
    return Refusal::kNoRoom;
  }
  if (error == EMSGSIZE) {
    const std::lock_guard guard(largest_lock_);
    largest_.erase(to);
  }
  if (datagrams > 1 && is_refusal_to_cut(error)) {
    ++lane.counts.refused;
    // EIO: the interface cannot compute the checksums of what it would cut.
    if (error == EIO || error == ENOPROTOOPT || error == EOPNOTSUPP) may_segment_ = false;
    return Refusal::kSingly;
  }
  (error == EMSGSIZE ? lane.counts.too_large : lane.counts.unsent) += datagrams;
  return Refusal::kLost;
}

LiveSocket::Counts LiveSocket::counts() const {
  Counts sum;
  sum.receive_calls = receive_calls_;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (!lane) continue;
    sum.send_calls += lane->counts.send_calls;
    sum.datagrams_sent += lane->counts.datagrams_sent;
    sum.segmented += lane->counts.segmented;
    sum.refused += lane->counts.refused;
    sum.too_large += lane->counts.too_large;
    sum.unsent += lane->counts.unsent;
    sum.no_room += lane->counts.no_room;
  }
  return sum;
}

std::size_t LiveSocket::send(std::span<const Burst> bursts, unsigned lane_number) {
  std::unique_ptr<Lane>& own = lanes_[lane_number];
  if (!own) own = std::make_unique<Lane>();
  Lane& lane = *own;
  if (bursts.size() == 1 && is_one_datagram(bursts[0])) return send_alone(bursts[0], lane) ? 1 : 0;
  MessageBatch::Position at;
  MessageBatch::Limits limits;
  limits.bytes = largest_message();
  const bool is_one_peer =
      !bursts.empty() &&
      std::all_of(bursts.begin(), bursts.end(), [&](const Burst& burst) { return burst.to == bursts[0].to; });
  int connected = is_one_peer ? connected_to(bursts[0].to, lane) : -1;
  for (;;) {
    limits.says_target = connected < 0;
    limits.datagrams = segments() ? MessageBatch::kMostDatagrams : 1;
    lane.batch.fill(bursts, at, limits);
    if (lane.batch.count() == 0) return bursts.size();
    ++lane.counts.send_calls;
    const int sent = send_messages_(connected < 0 ? socket_.get() : connected, lane.batch.messages(),
                                    lane.batch.count(), 0);
    if (sent > 0) {
      for (unsigned i = 0; i < static_cast<unsigned>(sent); ++i) {
        lane.counts.datagrams_sent += lane.batch.datagrams_of(i);
        lane.counts.segmented += lane.batch.datagrams_of(i) > 1 ? 1 : 0;
      }
      at = lane.batch.end_of(static_cast<unsigned>(sent) - 1);
      continue;
    }
    // What the network has reported of an earlier one at the connected socket is no reason for this one.
    if (connected >= 0) {
      connected = -1;
      continue;
    }
    switch (judge(errno, lane.batch.datagrams_of(0), bursts[at.burst].to, lane)) {
      case Refusal::kAgain:
        break;
      case Refusal::kNoRoom:
        return at.offset == 0 ? at.burst : at.burst + 1;
      case Refusal::kSingly:
        limits.singly_before = lane.batch.end_of(0);
        break;
      case Refusal::kLost:
        at = lane.batch.end_of(0);
        break;
    }
  }
}

// What it has shown at that index is that message, unless one without bytes was before it.
bool LiveSocket::exchange_received(std::size_t index, BufferPool::Buffer& buffer) {
  Inbox::Message& message = inbox_->messages[index];
  if (inbox_->arrived[index].bytes.data() != message.memory.get()) return false;
  message.memory.swap(buffer);
  message.part.iov_base = message.memory.get();
  return true;
}

std::span<const Arrived> LiveSocket::receive() {
  Inbox& inbox = *inbox_;
  const unsigned wanted = inbox.look_for;
  if (wanted == 1 && datagrams_say_size_) {
    // The cheapest call: most looks find nothing.
    Inbox::Message& message = inbox.messages[0];
    socklen_t from_bytes = sizeof message.from;
    const ssize_t bytes = receive_one(socket_.get(), message.part.iov_base, kMessageBytes,
                                      says_sender_ ? &message.from.any : nullptr, &from_bytes);
    if (bytes <= 0) {
      inbox.has_found_one = false;
      return {};
    }
    ++receive_calls_;
    if (std::exchange(inbox.has_found_one, true)) inbox.look_for = 2;
    inbox.arrived[0] = {says_sender_ ? net::from_system(message.from) : net::Address(),
                        {static_cast<std::byte*>(message.part.iov_base), static_cast<std::size_t>(bytes)},
                        0};
    return {inbox.arrived.data(), 1};
  }
  for (unsigned i = 0; i < wanted; ++i) {
    msghdr& header = inbox.headers[i].msg_hdr;
    header.msg_namelen = sizeof inbox.messages[i].from;
    header.msg_controllen = sizeof inbox.messages[i].control;
  }
  const int got = ::recvmmsg(socket_.get(), inbox.headers.data(), wanted, MSG_DONTWAIT, nullptr);
  inbox.look_for = 1;
  if (got <= 0) return {};  // also after an error that the network has reported: it is none of ours
  ++receive_calls_;
  unsigned count = 0;
  std::size_t all_bytes = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(got); ++i) {
    msghdr& header = inbox.headers[i].msg_hdr;
    const std::size_t bytes = inbox.headers[i].msg_len;
    all_bytes += bytes;
    if (bytes == 0 || (header.msg_flags & MSG_TRUNC) != 0) continue;
    Arrived& arrived = inbox.arrived[count++];
    arrived.from = net::from_system(inbox.messages[i].from);
    arrived.bytes = {static_cast<std::byte*>(inbox.messages[i].part.iov_base), bytes};
    arrived.datagram_bytes = bytes;
    for (cmsghdr* control = CMSG_FIRSTHDR(&header); control; control = CMSG_NXTHDR(&header, control)) {
      if (control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO) continue;
      int segment = 0;
      std::memcpy(&segment, CMSG_DATA(control), sizeof segment);
      if (segment > 0) arrived.datagram_bytes = static_cast<std::size_t>(segment);
    }
  }
  // What is taken at once is looked at while it is in the cache.
  if (static_cast<unsigned>(got) == wanted)
    inbox.look_for = all_bytes < kHotBytes ? std::min(2 * wanted, kMostMessages) : std::max(wanted / 2, 1u);
  return {inbox.arrived.data(), count};
}

}  // namespace aqueduct::fabric::udp
