// The network abstraction layer: how the Portals library reaches the network, and the network the library.
//
// The library (node.hpp) is portable: it matches, keeps descriptors and queues, and says what has to move. A
// NAL moves it, and decides when and where the library's code runs: from a poll or a progress thread live,
// in an interrupt of a simulated host, on a simulated network interface. One NAL serves a node; all processes
// of the node, also clients inside its kernel, share it, each through its own Bridge (bridge.hpp).
//
//   initiator                              target
//   PtlPut: nal.send(transfer) ────────▶   verdict = library.parse({source, header, bytes})
//   library.finalize(transfer)             verdict.deposit? land deposit->bytes in deposit->pieces,
//   the memory is the user's again                          then library.finalize(*deposit)
//                                          else drop the payload; there is nothing to finalize
//
// Memory: a Transfer belongs to the library and is lent to the NAL from send(), or from parse(), until
// finalize(), which is called once for each and with which the NAL forgets it. Its header, its pieces and the
// memory that they name do not change or go away meanwhile. What parse() is given may go away when it
// returns.
//
// Threads: the library may call send(), distance() and progress() from any thread, with no lock held; they
// may suspend the caller (a fiber whose time they charge). The NAL may call the library from any thread, with
// no lock held that send() needs, but calls parse() for the headers of one source one after another, in the
// order in which they were sent. Neither send() nor progress() of another node calls back into this node.
//
// A peer that is dead, a link that stays broken: finalize() with the reason if the payload is still lent,
// undeliverable() if it has been given back already. A message that breaks off while it is deposited:
// finalize() with PTL_NI_INCOMPLETE.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "aqueduct/portals3_types.h"
#include "fabric/fabric.hpp"
#include "papers/nic/progress.hpp"

namespace aqueduct::portals3 {

using fabric::NodeId;
using fabric::Piece;

class Bridge;

enum class MessageKind : std::uint8_t { kPut = 1, kGet, kGetPut, kReply, kAck };

/// Who pays for a send: a process that calls the interface, or whoever runs parse() and finalize().
enum class Context : std::uint8_t { kCall, kArrival };

/// What a Bridge gave for the memory of a descriptor when it was validated.
using MemoryKey = std::uint64_t;

/// A message on its way out, or a payload on its way in.
struct Transfer {
  MessageKind kind = MessageKind::kPut;
  NodeId peer = 0;                    ///< where it goes, or comes from
  ptl_pid_t pid = 0;                  ///< of the local process
  Bridge* bridge = nullptr;           ///< of the local process
  MemoryKey memory = 0;               ///< of the descriptor that holds the pieces; 0: memory of the library
  std::span<const std::byte> header;  ///< of a message to send, fabric::kMaxHeader bytes at most
  std::span<const Piece> pieces;      ///< `bytes` in all
  std::size_t bytes = 0;

  /// For the NAL, between send() or parse() and finalize().
  Transfer* next = nullptr;
  std::uint64_t note = 0;
};

/// A header that has arrived. Its payload may still be on its way.
struct Incoming {
  NodeId source = 0;
  std::span<const std::byte> header;
  std::size_t payload_bytes = 0;
};

struct Verdict {
  Transfer* deposit = nullptr;       ///< where the payload goes; null: drop it
  std::uint32_t entries_walked = 0;  ///< match entries that were looked at: what matching costs
};

/// What an arriving header says to a NAL that treats processes differently.
struct Destination {
  Bridge* bridge = nullptr;  ///< of the process the message is for; null: it will be dropped
  ptl_pid_t pid = 0;
  MessageKind kind = MessageKind::kPut;
};

/// What the library gives to a NAL.
class Library {
 public:
  /// Looks at a header without consequences.
  virtual Destination destination(const Incoming& incoming) = 0;
  /// Matches; posts START events; sends replies and acknowledgements through send(…, kArrival).
  virtual Verdict parse(const Incoming& incoming) = 0;
  /// A transfer is over: PTL_NI_OK, or why it failed. Posts END events, may send, may run event handlers.
  virtual void finalize(Transfer& transfer, ptl_ni_fail_t fail) = 0;
  /// A message that was finalized as sent did not reach its target. `header` is the one that was sent.
  virtual void undeliverable(std::span<const std::byte> header) = 0;
  /// A node is gone for good: what waits for its answers fails.
  virtual void lost(NodeId node) = 0;

 protected:
  ~Library() = default;
};

class Nal : public nic::Progress {
 public:
  virtual ~Nal() = default;

  /// Set once by the node, before anything else is called.
  virtual void set_library(Library& library) = 0;

  virtual NodeId self() const = 0;
  virtual NodeId nodes() const = 0;
  virtual unsigned long distance(NodeId node) const = 0;
  /// The most that the hardware below can hold. The library's own limits apply too.
  virtual ptl_ni_limits_t limits() const;

  /// Takes the transfer in any case; what cannot leave now waits in the NAL. Messages to one node leave in
  /// the order of the calls. Never finalizes before it returns.
  virtual void send(Transfer& transfer, Context context) = 0;
};

}  // namespace aqueduct::portals3
