// How messages become packets and packets are taken: what the two implementations of active messages differ
// in.
//
// Both speak the same language: they may be mixed in a job. am_first.cpp and am_second.cpp say what each does
// and what it costs.
#pragma once
#include <cstddef>
#include <memory>

#include "papers/conduit/extoll/packet.hpp"

namespace aqueduct::conduit::extoll {

enum class AmVersion : std::uint8_t { kFirst, kSecond };

/// What an implementation is given by the conduit. Called with the lock held.
class PacketLink {
 public:
  /// Sends the next bytes of a message as one packet; false: VELO has no credit now.
  virtual bool send_packet(Outgoing& message, std::size_t bytes) = 0;
  /// Takes one packet out of the mailbox; false: it is empty.
  virtual bool take_packet() = 0;
  /// Whether there is one more, after one that was taken. Moves nothing.
  virtual bool has_packet() = 0;
  /// As many messages are complete as one poll delivers.
  virtual bool is_enough() = 0;
  virtual void lock() = 0;
  virtual void unlock() = 0;

 protected:
  ~PacketLink() = default;
};

class AmImplementation {
 public:
  virtual ~AmImplementation() = default;
  /// Sends packets of a message from where it stands, which nobody else does meanwhile. True: all have left.
  /// The lock is held, and may be given up in between.
  virtual bool send(Outgoing& message) = 0;
  /// Takes packets, and answers how many. The same.
  virtual unsigned receive() = 0;
};

std::unique_ptr<AmImplementation> make_first_am(PacketLink& link);
std::unique_ptr<AmImplementation> make_second_am(PacketLink& link);

/// What a look at the lock costs where that is simulated ("am_lock").
void spend_lock();

}  // namespace aqueduct::conduit::extoll
