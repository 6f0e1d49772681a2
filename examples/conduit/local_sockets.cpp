// A conduit to learn from: active messages over the datagram sockets of one host (AF_UNIX), as a plug-in.
//
//   aqueduct run -n 4 --conduit local-sockets ./program
//
// The network. A datagram arrives once, whole and in order, and the kernel holds a sender back when the
// receiver's queue is full. That is all that a conduit needs: "full" is kRetry, and a message is one
// datagram, which has the sender's rank and then the form of parts/am_codec.hpp.
//
// Why replies get through. Each rank has two sockets, one for requests and one for replies, and sends from
// the same kind that it sends to. Requests that wait in anybody's queue take no room from replies, and
// poll(kReplies) drains the queue in which replies might be stuck.
//
// What it is not: fast, or safe from other users of the host, who may send to its sockets.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "conduit/plugin/plugin.hpp"
#include "parts/am_codec.hpp"

namespace aqueduct::conduit {
namespace {

using parts::AmKind;

constexpr Limits kLimits = {(std::size_t{8} << 10) + am::kEncapsulationBytes, std::size_t{32} << 10};
constexpr std::size_t kSourceBytes = 8;  // keeps what follows aligned
constexpr std::size_t kMostBytes = kSourceBytes + parts::kMostHeaderBytes + kLimits.max_long;
constexpr unsigned kAtOnce = 32;  // messages that one poll delivers

enum Door { kRequests, kReplies, kDoors };

/// Where the sockets of a rank are found: names that the kernel made up.
struct Address {
  std::array<sockaddr_un, kDoors> door{};
  std::array<socklen_t, kDoors> bytes{};
};

class LocalSockets final : public Conduit {
 public:
  explicit LocalSockets(const Opening& opening)
      : self_(opening.place.rank), receiver_(opening.receiver), peers_(opening.place.size) {
    Address mine;
    for (const Door door : {kRequests, kReplies}) open_door(door, &mine);
    opening.bootstrap.all_gather(mine, [&](RankId peer, const Address& theirs) { peers_[peer] = theirs; });
  }
  ~LocalSockets() override {
    for (const int descriptor : sockets_) ::close(descriptor);
    ::close(epoll_);
  }

  Limits limits() const override { return kLimits; }
  Post inject(RankId target, const Message& request) override {
    return send(kRequests, target, AmKind::kRequest, request);
  }
  Post reply(const Origin& origin, const Message& reply) override {
    return send(kReplies, origin.source, AmKind::kReply, reply);
  }
  unsigned poll(Scope scope) override {
    unsigned delivered = 0;
    while (delivered < kAtOnce && deliver_one(kReplies)) ++delivered;
    while (scope == Scope::kAll && delivered < kAtOnce && deliver_one(kRequests)) ++delivered;
    return delivered;
  }

  void segments_attached(std::span<const SegmentBounds> segments) override { segment_ = segments[self_]; }
  int wake_descriptor() override { return epoll_; }

 private:
  void open_door(Door door, Address* mine) {
    sockets_[door] = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    auto* const address = reinterpret_cast<sockaddr*>(&mine->door[door]);
    mine->door[door].sun_family = AF_UNIX;
    mine->bytes[door] = sizeof(sockaddr_un);
    epoll_event readable{.events = EPOLLIN, .data = {}};
    if (sockets_[door] < 0 || ::bind(sockets_[door], address, sizeof(sa_family_t)) != 0 ||
        ::getsockname(sockets_[door], address, &mine->bytes[door]) != 0 ||
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, sockets_[door], &readable) != 0)
      fatal("local-sockets", "cannot open a socket: %s", std::strerror(errno));
  }

  Post send(Door door, RankId target, AmKind kind, const Message& message) {
    std::byte head[kSourceBytes + parts::kMostHeaderBytes] = {};
    std::memcpy(head, &self_, sizeof self_);
    const std::byte* const end = parts::encode_header(head + kSourceBytes, kind, message, 0);
    iovec pieces[] = {{head, static_cast<std::size_t>(end - head)},
                      {const_cast<void*>(message.payload), message.payload_bytes}};
    msghdr datagram{};
    datagram.msg_name = &peers_[target].door[door];
    datagram.msg_namelen = peers_[target].bytes[door];
    datagram.msg_iov = pieces;
    datagram.msg_iovlen = 2;
    if (::sendmsg(sockets_[door], &datagram, MSG_NOSIGNAL) >= 0) return Post::kDone;
    // No room now. Or the target is gone, of which its supervisor knows more than we do and ends the job.
    if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR || errno == ECONNREFUSED) return Post::kRetry;
    fatal("local-sockets", "cannot send to rank %u: %s", target, std::strerror(errno));
  }

  // The datagram is on the stack: a request's handler that replies may deliver replies meanwhile.
  bool deliver_one(Door door) {
    alignas(8) std::byte datagram[kMostBytes];
    const ssize_t bytes = ::recv(sockets_[door], datagram, sizeof datagram, 0);
    if (bytes < 0) return false;
    RankId source = 0;
    parts::DecodedMessage decoded;
    const char* why = "it is too short";
    if (static_cast<std::size_t>(bytes) > kSourceBytes) {
      std::memcpy(&source, datagram, sizeof source);
      why = parts::decode_whole({datagram + kSourceBytes, datagram + bytes}, kLimits, segment_, &decoded);
    }
    if (!why && (source >= peers_.size() || decoded.kind == AmKind::kCredits)) why = "nobody here sends it";
    if (why) fatal("local-sockets", "a message from rank %u is malformed: %s", source, why);
    parts::place_payload(decoded.message);
    receiver_.deliver(decoded.message, Origin{source, 0});
    return true;
  }

  const RankId self_;
  Receiver& receiver_;
  std::vector<Address> peers_;
  SegmentBounds segment_;
  const int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  int sockets_[kDoors] = {-1, -1};
};

const Description kDescription = {
    .name = "local-sockets",
    .summary = "an example: active messages over the datagram sockets of one host",
    .uses_neighbourhood = false,
    .max_ranks = 4096,
    .preference = 0,
    .open = [](const Opening& opening) -> std::unique_ptr<Conduit> {
      return std::make_unique<LocalSockets>(opening);
    },
    .limits = [] { return kLimits; },
};

}  // namespace
}  // namespace aqueduct::conduit

AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::kDescription);
