// Bursts cut into messages, as sendmmsg takes them: a message is one datagram, or several that the kernel
// will cut. A batch holds as many of them as one call should take, and says how far each goes.
#pragma once
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <span>

#include "fabric/udp/datagram_socket.hpp"
#include "net/system_address.hpp"

namespace aqueduct::fabric::udp {

class MessageBatch {
 public:
  static constexpr unsigned kMostMessages = 64;
  static constexpr unsigned kMostDatagrams = 64;  ///< that a kernel cuts out of one message

  /// Between two datagrams of a row of bursts.
  struct Position {
    std::size_t burst = 0;
    std::size_t offset = 0;  // in the burst
    std::size_t part = 0;    // of the burst, where that is
    std::size_t part_offset = 0;

    bool is_before(const Position& other) const {
      return burst != other.burst ? burst < other.burst : offset < other.offset;
    }
  };
  /// How large messages may be.
  struct Limits {
    unsigned datagrams = 1;   ///< in one message
    std::size_t bytes = 0;    ///< likewise; a datagram that is larger goes by itself all the same
    Position singly_before;   ///< up to here each datagram is a message
    bool says_target = true;  ///< no: the socket is connected to it
  };

  /// Replaces what the batch holds by what goes on at `from`. `bursts` and the bytes of their parts stay
  /// where they are while the batch is used.
  void fill(std::span<const Burst> bursts, Position from, const Limits& limits);

  unsigned count() const { return count_; }
  mmsghdr* messages() { return messages_.data(); }
  const Position& end_of(unsigned message) const { return messages_used_[message].end; }
  unsigned datagrams_of(unsigned message) const { return messages_used_[message].datagrams; }

 private:
  static constexpr std::size_t kMostPartsHere = 4 * Burst::kMostParts;
  struct Used {
    Position end;
    unsigned datagrams = 0;
    net::SocketAddress to;
    alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(std::uint16_t))];
  };

  /// False: no room for another message.
  bool add(const Burst& burst, Position& position, const Limits& limits);

  /// To the message whose parts begin there.
  void append(std::size_t first_part, const iovec& part);

  unsigned count_ = 0;
  std::size_t parts_ = 0;
  std::array<mmsghdr, kMostMessages> messages_;
  std::array<Used, kMostMessages> messages_used_;
  std::array<iovec, kMostPartsHere> iovecs_;
};

}  // namespace aqueduct::fabric::udp
