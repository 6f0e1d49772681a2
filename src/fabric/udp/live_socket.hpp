// DatagramSocket over a UDP socket of the operating system, IPv4 or IPv6.
//
// Bursts are cut by the kernel (UDP_SEGMENT) and received whole (UDP_GRO) where it does that. Where it
// refuses, their datagrams go one by one, still with few calls (sendmmsg): from then on if the refusal is for
// good, else for the burst at hand.
//
// Datagrams are never fragmented. A path that turns out to be narrower than was thought (the kernel learns it
// from routers and refuses what is larger) loses what was too large, and largest_datagram() falls. Other
// errors that the network reports, such as a port where nobody listens, are no errors here: what was sent is
// lost.
//
// A call of receive() takes one message as long as messages come one by one, and up to kMostMessages once
// they queue.
//
// What goes to the same peer, again and again, goes by a second socket that is connected there: the kernel
// then looks for the way once. Each lane has its own ones, so that lanes share nothing but
// what the kernel has told of paths. So the port that a datagram comes from may not be that of
// address().
#pragma once
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/spin_lock.hpp"
#include "fabric/udp/datagram_socket.hpp"
#include "fabric/udp/message_batch.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::fabric::udp {

struct LiveSocketSettings {
  net::Address address = net::Address::loopback();  ///< one of this host's; port 0: any that is free
  bool may_segment = true;                          ///< let the kernel cut bursts
  bool may_coalesce = true;                         ///< let it hand them over whole
  bool datagrams_say_size = false;                  ///< receive() need not say it then; see Arrived
  bool says_sender = true;                          ///< receive() says where datagrams come from
  std::size_t buffer_bytes = std::size_t{8} << 20;  ///< wished for each direction
  /// The call that sends. A test puts in its place a kernel that refuses.
  int (*send_messages)(int socket, mmsghdr* messages, unsigned count, int flags) = ::sendmmsg;
};

class LiveSocket final : public DatagramSocket {
 public:
  static constexpr unsigned kMostMessages = 16;

  /// Null, with the reason and what to do in `*why`, if there is no such socket to be had.
  static std::unique_ptr<LiveSocket> open(const LiveSocketSettings& settings, std::string* why);
  LiveSocket(const LiveSocketSettings& settings, net::Descriptor bound);
  ~LiveSocket() override;

  net::Address address() const override { return address_; }
  std::size_t largest_datagram(const net::Address& peer) override;
  std::size_t send(std::span<const Burst> bursts, unsigned lane) override;
  std::span<const Arrived> receive() override;
  bool exchange_received(std::size_t index, BufferPool::Buffer& buffer) override;
  std::size_t receive_room() const override { return receive_room_; }
  int wake_fd() const override { return socket_.get(); }

  struct Counts {
    std::uint64_t send_calls = 0;
    std::uint64_t receive_calls = 0;  ///< that found something
    std::uint64_t datagrams_sent = 0;
    std::uint64_t segmented = 0;  ///< messages that the kernel cut
    std::uint64_t refused = 0;    ///< messages that it would not cut: their datagrams went one by one
    std::uint64_t too_large = 0;  ///< datagrams that a path was too narrow for
    std::uint64_t unsent = 0;     ///< datagrams that could not be sent for any other reason
    std::uint64_t no_room = 0;    ///< calls of send() that did not take everything
  };
  /// Of all lanes, while none of them is in use.
  Counts counts() const;
  bool segments() const { return may_segment_.load(std::memory_order_relaxed); }
  bool coalesces() const { return coalesces_; }

 private:
  struct Inbox;
  struct HashAddress {
    std::size_t operator()(const net::Address& address) const;
  };
  enum class Refusal : std::uint8_t { kAgain, kNoRoom, kSingly, kLost };

  struct FrequentPeer {
    net::Address address;
    unsigned calls = 0;
    net::Descriptor socket;
  };
  static constexpr std::size_t kFrequentPeers = 8;
  struct Lane {
    MessageBatch batch;
    std::array<FrequentPeer, kFrequentPeers> frequent;
    Counts counts;
  };

  /// One datagram, with the cheapest call. True if it was taken.
  bool send_alone(const Burst& burst, Lane& lane);
  /// What is to become of a message of so many datagrams that the kernel refuses.
  Refusal judge(int error, unsigned datagrams, const net::Address& to, Lane& lane);
  /// A socket that is connected to `to`, if it has been sent to often; else -1.
  int connected_to(const net::Address& to, Lane& lane);

  unsigned largest_message() const { return 0xFFFF - overhead_bytes_; }

  net::Descriptor socket_;
  net::Address address_;
  int (*send_messages_)(int, mmsghdr*, unsigned, int);
  std::atomic<bool> may_segment_;
  bool coalesces_ = false;
  unsigned overhead_bytes_;  // of IP and UDP in each datagram
  std::size_t buffer_bytes_;
  std::size_t receive_room_ = 0;
  std::uint64_t receive_calls_ = 0;
  SpinLock largest_lock_;
  std::unordered_map<net::Address, std::size_t, HashAddress> largest_;  // datagram, by peer
  std::array<std::unique_ptr<Lane>, kLanes> lanes_;                     // null: not used yet
  std::unique_ptr<Inbox> inbox_;
  bool datagrams_say_size_;
  bool says_sender_;
};

}  // namespace aqueduct::fabric::udp
