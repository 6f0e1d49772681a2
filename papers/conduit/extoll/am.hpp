// The differences between the two implementations of active messages: how they cut messages into packets and
// take packets.
//
// Both use the same wire format and may be mixed in a job. am_first.cpp and am_second.cpp describe them and
// their costs.
#pragma once
#include <cstddef>
#include <memory>

#include "papers/conduit/extoll/packet.hpp"

namespace aqueduct::conduit::extoll {

enum class AmVersion : std::uint8_t { kFirst, kSecond };

/// The conduit's functions for an implementation. Called with the lock held.
class PacketLink {
 public:
  /// Sends the next bytes of a message as one packet; false: VELO has no credit now.
  virtual bool send_packet(Outgoing& message, std::size_t bytes) = 0;
  /// Takes one packet from the mailbox; false: it is empty.
  virtual bool take_packet() = 0;
  /// Whether there is another packet after one that was taken. Makes no progress.
  virtual bool has_packet() = 0;
  /// Whether as many messages are complete as one poll delivers.
  virtual bool is_enough() = 0;
  virtual void lock() = 0;
  virtual void unlock() = 0;

 protected:
  ~PacketLink() = default;
};

class AmImplementation {
 public:
  virtual ~AmImplementation() = default;
  /// Sends the remaining packets of a message; no other thread does so meanwhile. True: all have left. The
  /// lock is held, and may be released in between.
  virtual bool send(Outgoing& message) = 0;
  /// Takes packets, and returns how many. Same lock rule.
  virtual unsigned receive() = 0;
};

std::unique_ptr<AmImplementation> make_first_am(PacketLink& link);
std::unique_ptr<AmImplementation> make_second_am(PacketLink& link);

/// In a simulation, spends the cost of a lock operation ("am_lock").
void spend_lock();

}  // namespace aqueduct::conduit::extoll
