// Wakes a rank that sleeps when something comes at the sockets of a provider over TCP.
//
// A queue of libfabric that can be slept at keeps its sockets in sets of epoll, and the kernel tells these of
// every packet, also while the rank polls: of the 9.6 us of a put of 8 bytes that takes 1.4. So the queue
// gets no wait object, and its sockets are in a set of ours. There each of them is armed for one event when
// the rank is about to sleep, and no longer.
//
// libfabric does not say which its sockets are. They are those of the process that are bound to the port of
// the endpoint, which are the one that listens and those that peers have connected, and those that are
// connected to a peer whom this rank has sent something. arm() looks for them after this rank has sent
// something to a new peer, and after a peer has connected, which is what the one that listens tells; for a
// while, because connections take time. A socket that is not found costs time and nothing else, since no
// sleep lasts for longer than a few milliseconds.
//
// Threads: one at a time, except that any may wait at the descriptor.
#pragma once
#include <poll.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "net/address.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::conduit::ofi {

class SocketWatch {
 public:
  /// Null if this system does not list a process's sockets.
  static std::unique_ptr<SocketWatch> open();
  /// Before anything else: peers connect to that port of this process.
  void peers_connect_to(std::uint16_t port) { port_ = port; }

  /// Readable when whoever has armed the sockets should look again.
  int descriptor() const { return set_.get(); }
  /// This rank sends something to a peer for the first time, who listens there.
  void will_connect(const net::Address& peer) { contacts_.push_back(peer); }

  /// The rank is about to sleep. What comes from now on makes the descriptor readable; also that a socket
  /// that is full has room again. The caller lets libfabric make progress afterwards, before it sleeps.
  void arm(std::uint64_t now_ns);
  /// False if that progress has filled a socket: the rank must not sleep.
  bool covers_all();
  /// The rank polls. Sockets that have told something since they were armed do not tell more.
  void polled() {
    if (armed_ != 0 && --until_disarm_ == 0) [[unlikely]]
      disarm();
  }

 private:
  struct Socket {
    int fd;
    std::uint32_t armed_for;  // 0: it is not armed
  };

  explicit SocketWatch(net::Descriptor set) : set_(std::move(set)) {}
  void look_for_sockets();
  bool is_ours(int fd, bool* listens) const;
  bool is_known(int fd) const;
  void find_full_ones();
  void disarm();
  void forget(std::size_t place);

  net::Descriptor set_;
  std::uint16_t port_ = 0;
  std::vector<Socket> sockets_;
  std::vector<pollfd> room_;  // the same sockets
  int listener_ = -1;
  unsigned armed_ = 0;
  unsigned until_disarm_ = 0;           // polls
  std::vector<net::Address> contacts_;  // peers whose connections may not have been found yet
  std::size_t contacts_seen_ = 0;       // of these
  bool must_look_ = true;
  std::uint64_t looks_until_ns_ = 0;
};

}  // namespace aqueduct::conduit::ofi
