// Datagrams between nodes, as the operating system or a simulated network carries them: any of them may be
// lost, come twice, late, in another order, or from a stranger. The protocol above (fabric/udp/) makes a
// fabric of it.
//
// Several datagrams of one size to one address go in one Burst, which a kernel that can cuts itself
// (UDP_SEGMENT) and which it hands over whole at the other end (UDP_GRO).
//
// Memory: what send() is given is copied before it returns. What receive() shows is valid until the next
// call.
// Threads: one at a time sends over each lane, and one at a time receives; all of these at once, and the
// other functions at any time. Lanes carry the same: a lane only keeps threads apart.
#pragma once
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fabric/udp/buffer_pool.hpp"
#include "net/address.hpp"

namespace aqueduct::fabric::udp {

/// Ports may differ. It takes two comparisons, as this is asked for each datagram.
inline bool is_same_host(const net::Address& a, const net::Address& b) {
  std::uint64_t words[2], others[2];
  std::memcpy(words, a.host.data(), sizeof words);
  std::memcpy(others, b.host.data(), sizeof others);
  return a.family == b.family && ((words[0] ^ others[0]) | (words[1] ^ others[1])) == 0;
}

/// Datagrams to one address: the bytes of `parts`, one behind the other, cut every `datagram_bytes`. The last
/// may be shorter. No datagram is spread over more than kMostParts of them.
struct Burst {
  static constexpr std::size_t kMostParts = 64;

  net::Address to;
  std::span<const iovec> parts;
  std::size_t datagram_bytes = 0;
};

/// The same at its target: `bytes` hold datagrams of `datagram_bytes`, the last of which may be shorter. 0:
/// the socket does not know, and the datagrams say it themselves.
struct Arrived {
  net::Address from;
  std::span<std::byte> bytes;
  std::size_t datagram_bytes = 0;
};

class DatagramSocket {
 public:
  static constexpr unsigned kLanes = 8;

  virtual ~DatagramSocket() = default;

  /// Where others reach this one.
  virtual net::Address address() const = 0;
  /// The largest datagram that goes to `peer` unfragmented, as far as is known. Falls when a path turns out
  /// to be narrower.
  virtual std::size_t largest_datagram(const net::Address& peer) = 0;

  /// How many of the bursts were taken, from the first on: fewer than all if there is no room now. Those to
  /// an address that cannot be reached, or too large for the path, are taken and lost; so is the rest of a
  /// burst of which a part was taken.
  virtual std::size_t send(std::span<const Burst> bursts, unsigned lane) = 0;
  /// What has come, as far as one call takes it; empty if nothing has.
  virtual std::span<const Arrived> receive() = 0;
  /// Of what the last call of receive() has shown, the memory of the Arrived at this index becomes `buffer`,
  /// and the socket has the former one, for good. False where a socket does not do that.
  virtual bool exchange_received(std::size_t index, BufferPool::Buffer& buffer) {
    (void)index;
    (void)buffer;
    return false;
  }

  /// How many bytes may wait to be received before more are lost, roughly: small datagrams take several
  /// times their size.
  virtual std::size_t receive_room() const = 0;

  /// Readable when something has come; -1 in a simulation.
  virtual int wake_fd() const = 0;
};

}  // namespace aqueduct::fabric::udp
