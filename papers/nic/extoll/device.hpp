// The contract between the EXTOLL library of a process and what moves its messages (nic/device.hpp).
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

/// By which part of the card a message leaves.
enum class Unit : std::uint8_t {
  kVelo,       ///< stored into the requester page by the processor
  kRequester,  ///< commands of RMA: a put's payload is read from memory
  kResponder,  ///< what the card answers by itself
};

/// A message on its way out, or a payload on its way in.
struct Transfer {
  NodeId peer = 0;
  Unit unit = Unit::kVelo;
  std::span<const std::byte> header;  ///< of a message to send
  fabric::Piece payload;              ///< what is sent, or where it lands

  /// For the device, while it is lent.
  Transfer* next = nullptr;
};

using nic::Incoming;
using Library = nic::Library<Transfer>;

/// The calls that may cost differently; the amount is said with each.
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
  /// Messages of a port to another that are not in its mailbox yet, and commands whose notification is not in
  /// its queue. Beyond these a sender is told to try again.
  std::uint32_t send_credits = 0;
  std::uint32_t notifications = 0;  ///< that the queue of a port has room for
  std::uint32_t requests = 0;       ///< commands of a process that are under way
};

class Device : public nic::Device<Transfer, Limits, Call> {
 public:
  /// What wait() will wait for from now on, a literal: hangs are reported by it.
  virtual void waits_for(const char* what) { (void)what; }
  /// For provoked faults: whether memory for the card is refused. Called with the library's lock held.
  virtual bool memory_fails() { return false; }
};

}  // namespace aqueduct::extoll
