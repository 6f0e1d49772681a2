// The fabric contract: what a network interface needs from the wire.
//
// A node of the network has one Port. An interface sends a message through it: a short header, and a payload
// gathered from the sender's memory. At the target the interface's own code, a PortClient, sees the header as
// soon as it is there and says, at once or later, where the payload lands. Both sides are told when it is
// done. The fabric knows nothing of what headers mean.
//
// Order: if traits().ordered, headers from one node to another arrive in the order of send(). Payloads land
// in any order: a short message may overtake a long one that arrived before it.
//
// Reliability: a message arrives once and intact, whatever happens to its packets below. A message that
// cannot be delivered (its target is dead, a link stays broken) is reported to its sender by undeliverable(),
// and the part that may have arrived by landed() with kFailed.
//
// Memory: the header is copied by send(). The payload belongs to the fabric until sent(), the memory named in
// accept() until landed(). An Arrival's header and inline payload are valid during arrived() alone.
//
// Threads: any thread may call send(), accept(), discard() and progress(). PortClient functions are called
// from progress() where the fabric is live, and from the event loop in a simulation; one at a time for a
// port, never from within send(), accept() or discard(), and with no lock held. They may call send(),
// accept() and discard().
//
//   sender                                   target
//   send(to, header, payload, a)  ───────▶   arrived({from, header, bytes, id})
//   sent(a)  the memory is free              accept(id, where, keep_bytes, b)   or discard(id)
//                                            landed(b)  the payload is in place
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/doorbell.hpp"
#include "base/silence.hpp"
#include "observe/retries.hpp"

namespace aqueduct::fabric {

using NodeId = std::uint32_t;

/// Every fabric carries headers of this size.
inline constexpr std::size_t kMaxHeader = 128;

/// A part of the payload, in this node's memory.
struct Piece {
  void* base = nullptr;
  std::size_t bytes = 0;
};

/// One use of the network in a job. Messages of different planes do not meet. Whoever opens a port gives its
/// plane a number that no other use has; tests/layers compares them.
enum class Plane : std::uint8_t {};

/// What carries the messages of a port between live ranks.
enum class Carrier : std::uint8_t {
  kAny,        ///< shared memory where all ranks have it in common, else datagrams; AQUEDUCT_FABRIC overrides
  kDatagrams,  ///< datagrams, also between ranks of one host
};

enum class Post : std::uint8_t { kDone, kRetry };
enum class Outcome : std::uint8_t { kOk, kFailed };

struct Traits {
  NodeId nodes = 0;
  bool ordered = true;
  std::size_t inline_bytes = 0;  ///< payloads up to this size come along with their header
  std::size_t copied_bytes = 0;  ///< payloads up to this size are copied by send()
};

/// A message whose header has reached its target.
struct Arrival {
  NodeId source = 0;
  std::span<const std::byte> header;
  std::size_t payload_bytes = 0;
  const std::byte* inline_payload = nullptr;  ///< the whole payload if it came along, else null
  std::uint64_t id = 0;                       ///< names it in accept() and discard()
};

/// The interface's side. Each arrival is answered by one accept() or discard().
class PortClient {
 public:
  /// An arrival that is not answered holds room: while many are, their senders are told kRetry.
  virtual void arrived(const Arrival& arrival) = 0;
  /// `cookie` is the one given to accept().
  virtual void landed(std::uint64_t cookie, Outcome outcome) = 0;
  /// The memory of the payload is the interface's again. `cookie` is the one given to send(); once per
  /// message.
  virtual void sent(std::uint64_t cookie) = 0;
  /// In place of delivery, after sent(): the message will not arrive, or not whole. `header` is the one given
  /// to send(), so that the interface need not remember messages that it takes for delivered.
  virtual void undeliverable(std::uint64_t cookie, NodeId target, std::span<const std::byte> header) = 0;
  /// A node is gone for good: nothing more comes from it. For fabrics that learn of it; once per node.
  virtual void lost(NodeId node) { (void)node; }
  /// Something went again to that node, or came from it twice. Unlike the others it may be called from
  /// anywhere and with locks held: it counts, and does nothing else.
  virtual void retried(NodeId node, observe::Retry why) { (void)node, (void)why; }

 protected:
  ~PortClient() = default;
};

/// A node's access to the wire.
class Port {
 public:
  virtual ~Port() = default;

  virtual Traits traits() const = 0;
  virtual NodeId self() const = 0;
  /// Hops between this node and another.
  virtual unsigned distance(NodeId node) const = 0;

  /// Where the port reports. Set once, before anything is sent or received.
  virtual void set_client(PortClient& client) = 0;

  /// kRetry: there is no room now; nothing was taken. A message to oneself is carried like any other.
  virtual Post send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
                    std::uint64_t cookie) = 0;
  /// Lands the first `keep_bytes` of the payload in `where`, which has room for them; the rest is dropped.
  virtual void accept(std::uint64_t arrival, std::span<const Piece> where, std::size_t keep_bytes,
                      std::uint64_t cookie) = 0;
  virtual void discard(std::uint64_t arrival) = 0;

  /// Moves what can be moved and reports it; returns how many reports that were. A simulation does this by
  /// itself.
  virtual unsigned progress() = 0;

  /// This node is about to leave. What it has sent must arrive all the same: returns when nothing is left to
  /// do for that, or after so long. Any thread, also in a report.
  virtual void finish_sending(std::uint64_t most_ns) { (void)most_ns; }

  /// What is known of a node that does not answer: its address, and if the port has given it up, how long it
  /// has been silent and the setting that decides. Any thread, also in a report; holds no lock on return.
  virtual Silence silence(NodeId node) {
    (void)node;
    return {};
  }

  /// Where threads of `node` may sleep: whoever makes work for that node's progress() rings there. Null:
  /// nobody rings.
  virtual Doorbell* doorbell(NodeId node) {
    (void)node;
    return nullptr;
  }
};

}  // namespace aqueduct::fabric
