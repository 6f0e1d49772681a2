// The network abstraction layer (NAL) between the Portals library and the network. It is the mover of
// nic/device.hpp with additions for Portals.
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
// A NAL without a model of costs calls arrived(), landed() and sent() instead, as other movers do; they call
// parse() and finalize().
//
// Threads: the library may call send(), distance() and progress() from any thread, with no lock held; they
// may suspend the caller (a fiber whose time they charge). The NAL may call the library from any thread, with
// no lock held that send() needs, but calls parse() for the headers of one source one after another, in the
// order in which they were sent. Neither send() nor progress() of another node calls back into this node.
//
// If a peer is dead or a link stays broken, the NAL calls finalize() with the reason while the payload is
// lent, otherwise undeliverable(). If a message breaks off while it is deposited, it calls finalize() with
// PTL_NI_INCOMPLETE.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "fabric/fabric.hpp"
#include "papers/nic/device.hpp"
#include "portals3_types.h"

namespace aqueduct::portals3 {

using fabric::NodeId;
using fabric::Piece;
using nic::Incoming;

class Bridge;

enum class MessageKind : std::uint8_t { kPut = 1, kGet, kGetPut, kReply, kAck };

/// Who is charged for a send: the process that calls the interface, or the code that runs parse() and
/// finalize().
enum class Context : std::uint8_t { kCall, kArrival };

/// The key that a Bridge returned for the memory of a descriptor.
using MemoryKey = std::uint64_t;

/// A message on its way out, or a payload on its way in.
struct NicTransfer {
  MessageKind kind = MessageKind::kPut;
  Context context = Context::kCall;   ///< of a message to send
  NodeId peer = 0;                    ///< where it goes, or comes from
  ptl_pid_t pid = 0;                  ///< of the local process
  Bridge* bridge = nullptr;           ///< of the local process
  MemoryKey memory = 0;               ///< of the descriptor that holds the pieces; 0: memory of the library
  std::span<const std::byte> header;  ///< of a message to send, fabric::kMaxHeader bytes at most
  std::span<const Piece> pieces;      ///< `bytes` in all
  std::size_t bytes = 0;

  /// For the NAL, between send() or parse() and finalize().
  NicTransfer* next = nullptr;
  std::uint64_t note = 0;
};

struct Verdict {
  NicTransfer* deposit = nullptr;    ///< where the payload goes; null: drop it
  std::uint32_t entries_walked = 0;  ///< match entries that were compared, for the cost of matching
};

/// The destination of a header, for a NAL that treats processes differently.
struct Destination {
  Bridge* bridge = nullptr;  ///< of the process the message is for; null: it will be dropped
  ptl_pid_t pid = 0;
  MessageKind kind = MessageKind::kPut;
};

/// The functions of the library for a NAL.
class Library : public nic::Library<NicTransfer> {
 public:
  /// Reads a header without changing anything.
  virtual Destination destination(const Incoming& incoming) = 0;
  /// Matches; posts START events; sends replies and acknowledgements through send(…, kArrival).
  virtual Verdict parse(const Incoming& incoming) = 0;
  /// A transfer is over: PTL_NI_OK, or why it failed. Posts END events, may send, may run event handlers.
  virtual void finalize(NicTransfer& transfer, ptl_ni_fail_t fail) = 0;

  NicTransfer* arrived(const Incoming& incoming) final { return parse(incoming).deposit; }
  void landed(NicTransfer& transfer, bool whole) final {
    finalize(transfer, whole ? PTL_NI_OK : PTL_NI_INCOMPLETE);
  }
  void sent(NicTransfer& transfer) final { finalize(transfer, PTL_NI_OK); }

 protected:
  ~Library() = default;
};

/// send(): messages to one node leave in the order of the calls; none is finalized before it returns.
class Nal : public nic::Mover<NicTransfer, Library> {
 public:
  virtual unsigned long distance(NodeId node) const = 0;
  /// The most that the hardware below can hold. The library's own limits apply too.
  virtual ptl_ni_limits_t limits() const;
};

}  // namespace aqueduct::portals3
