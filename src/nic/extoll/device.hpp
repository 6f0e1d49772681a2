// The contract between the EXTOLL library of a process and what moves its messages.
//
// The library (process.hpp) is portable: it has ports, mailboxes, regions and notification queues, and
// decides what a command does and who is told. A Device moves messages, and decides when: at once over a live
// fabric, or when a simulated card would. It also stands for what a call costs, for waiting and for limits.
//
//   initiator                              target
//   post: device.send(transfer) ────────▶  where = library.arrived({source, header, bytes})
//   library.sent(transfer)                 where? land the payload there, then library.landed(*where)
//   the payload is the library's again     else drop it
//
// Memory: a Transfer belongs to the library and is lent to the device from send(), or from arrived(), until
// sent() or landed(), which is called once for each. Its header, its payload and the memory that it names do
// not change meanwhile. What arrived() is given may go away when it returns.
//
// Order: messages from one process to another reach arrived() in the order of send(). Payloads land in any
// order.
//
// Threads: the library calls send() and posted() from any thread; send() with its lock held, so it must not
// call back nor suspend a fiber. enter() and wait() are called with no lock held and may suspend. The device
// calls the library from any thread with no lock held that send() needs, one call at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "fabric/fabric.hpp"
#include "nic/live_wait.hpp"
#include "nic/progress.hpp"

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

/// A header that has arrived. Its payload may still be on its way.
struct Incoming {
  NodeId source = 0;
  std::span<const std::byte> header;
  std::size_t payload_bytes = 0;
};

/// What the library gives to a device.
class Library {
 public:
  /// Where the payload goes, all of it; null: there is none, or drop it.
  virtual Transfer* arrived(const Incoming& incoming) = 0;
  virtual void landed(Transfer& transfer, bool whole) = 0;
  virtual void sent(Transfer& transfer) = 0;
  /// A message that was reported as sent did not arrive, or not whole. `header` is the one that was sent.
  virtual void undeliverable(NodeId target, std::span<const std::byte> header) = 0;
  /// A node is gone for good.
  virtual void lost(NodeId node) = 0;

 protected:
  ~Library() = default;
};

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
  /// Messages of a port to another that are not in its mailbox yet. Beyond these a sender is told to try
  /// again.
  std::uint32_t send_credits = 0;
  std::uint32_t notifications = 0;  ///< that the queue of a port has room for
  std::uint32_t requests = 0;       ///< commands of a process that are under way
};

class Device : public nic::Progress {
 public:
  virtual ~Device() = default;

  /// Set once by the library, before anything else is called.
  virtual void set_library(Library& library) = 0;
  virtual NodeId self() const = 0;
  virtual NodeId nodes() const = 0;
  virtual Limits limits() const = 0;

  /// Frames every call of the interface.
  virtual void enter(Call call, std::size_t amount) = 0;

  /// Takes the transfer in any case; what cannot leave now waits in the device.
  virtual void send(Transfer& transfer) = 0;

  virtual std::uint64_t now_ns() = 0;
  /// Rests until `activity` is no longer `seen`, or it is `deadline_ns`; may return for no reason. Sees to
  /// progress meanwhile where nobody else does.
  virtual void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) = 0;
  /// What wait() will wait for from now on, a literal: hangs are reported by it.
  virtual void waits_for(const char* what) { (void)what; }
  /// Something was posted that a thread of the process may wait for.
  virtual void posted() = 0;
  /// Where the process on `node` may sleep until something comes for it; null: nowhere.
  virtual Doorbell* doorbell(NodeId node) = 0;

  /// For provoked faults: whether memory for the card is refused. Called with the library's lock held.
  virtual bool memory_fails() { return false; }
};

}  // namespace aqueduct::extoll
