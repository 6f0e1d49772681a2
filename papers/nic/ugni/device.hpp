// The contract between the uGNI library of a process and the code that moves its messages (nic/device.hpp).
//
// The library (process.hpp) has domains, endpoints, registrations and completion queues.
//
// Order: messages with `in_order` from one process to another reach arrived() in the order of send(). All
// others may arrive in any order, and payloads land in any order.
#pragma once
#include "papers/nic/device.hpp"

namespace aqueduct::ugni {

using fabric::NodeId;
using nic::Activity;
using nic::kForever;

enum class MessageKind : std::uint8_t {
  kPut = 1,
  kGet,
  kAmo,
  kCqWrite,
  kResponse,  ///< to all but gets
  kGetReply,
  kDatagram,
  kDatagramCancel,
  kMsgq,
  kMsgqCredit,
};
inline constexpr MessageKind kLastMessageKind = MessageKind::kMsgqCredit;

/// The part of the interface that sends a message.
enum class Engine : std::uint8_t {
  kFma,       ///< stored into the window by the processor
  kBte,       ///< fetched from memory by the block transfer engine
  kResponse,  ///< made by the interface itself
  kDriver,    ///< datagrams and queues of the node
};

/// A message on its way out, or a payload on its way in.
struct NicTransfer {
  NodeId peer = 0;
  Engine engine = Engine::kFma;
  bool in_order = false;
  bool single_channel = false;        ///< of kBte: leaves by the first channel only
  std::span<const std::byte> header;  ///< of a message to send
  fabric::Piece payload;              ///< the bytes to send, or where they land

  /// For the device, while it is lent.
  NicTransfer* next = nullptr;
  std::uint64_t note = 0;
};

using nic::Incoming;
using Library = nic::Library<NicTransfer>;

/// The calls with different costs, and the unit of each call's amount.
enum class Call : std::uint8_t {
  kOther,       ///< everything else
  kPostFma,     ///< bytes that are stored into the window
  kPostRdma,    ///< also CQ writes of the driver
  kEvent,       ///< a look at a completion queue
  kCompleted,   ///< GNI_GetCompleted
  kMessage,     ///< short messages: bytes copied
  kDatagram,    ///< through the kernel
  kRegister,    ///< pages
  kDeregister,  ///< likewise
};

/// The injected faults of an event.
enum class EventFault : std::uint8_t { kNone, kQueueFull, kFailure };

struct Limits {
  std::uint32_t fma_descriptors = 0;  ///< for domains with a descriptor of their own
  std::uint32_t dedicated_mdds = 0;   ///< registrations of memory, by kind
  std::uint32_t shared_mdds = 0;
  std::size_t page_bytes = 4096;
};

class Device : public nic::Device<NicTransfer, Limits, Call> {
 public:
  /// For injected faults: the fault of the event that is about to be posted, and whether a registration is
  /// refused. Called with the library's lock held.
  virtual EventFault event_fault() { return EventFault::kNone; }
  virtual bool registration_fails() { return false; }
};

}  // namespace aqueduct::ugni
