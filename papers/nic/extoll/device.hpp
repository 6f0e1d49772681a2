// The contract between the EXTOLL library of a process and the code that moves its messages (nic/device.hpp).
//
// The library (process.hpp) has ports, mailboxes, regions and notification queues.
//
// Order: messages from one process to another reach arrived() in the order of send(). Payloads land in any
// order.
#pragma once
#include "papers/nic/device.hpp"

namespace aqueduct::extoll {

using fabric::NodeId;
using nic::Activity;
using nic::kForever;

/// The part of the card that sends a message.
enum class Unit : std::uint8_t {
  kVelo,       ///< stored into the requester page by the processor
  kRequester,  ///< commands of RMA: a put's payload is read from memory
  kResponder,  ///< answers that the card makes by itself
};

/// A message on its way out, or a payload on its way in.
struct NicTransfer {
  NodeId peer = 0;
  Unit unit = Unit::kVelo;
  std::span<const std::byte> header;  ///< of a message to send
  fabric::Piece payload;              ///< the bytes to send, or where they land

  /// For the device, while it is lent.
  NicTransfer* next = nullptr;
};

using nic::Incoming;
using Library = nic::Library<NicTransfer>;

/// The calls with different costs, and the unit of each call's amount.
enum class Call : std::uint8_t {
  kOther,     ///< everything else
  kSend,      ///< VELO: bytes that are stored into the requester page
  kLook,      ///< a look at a mailbox or a notification queue
  kReceive,   ///< VELO: bytes copied out of slots
  kPost,      ///< RMA: a descriptor
  kRegister,  ///< RMA: pages
  kCommit,    ///< a read pointer written back
};

struct Limits {
  std::uint32_t message_bytes = 0;  ///< of a VELO message; at most VELO2_MAX_MSG_SIZE
  std::uint32_t mailbox_slots = 0;  ///< of a port
  /// How many messages of one port to another may not be in its mailbox yet, and how many commands may not
  /// have their notification in its queue. Beyond these a send says to try again.
  std::uint32_t send_credits = 0;
  std::uint32_t notifications = 0;  ///< the size of a port's queue
  std::uint32_t requests = 0;       ///< commands of a process that are under way
};

class Device : public nic::Device<NicTransfer, Limits, Call> {
 public:
  /// Says what wait() waits for from now on, a literal for reports of hangs.
  virtual void waits_for(const char* what) { (void)what; }
  /// For injected faults: whether registration of memory fails. Called with the library's lock held.
  virtual bool memory_fails() { return false; }
};

}  // namespace aqueduct::extoll
