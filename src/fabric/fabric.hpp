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
// Places: a message sent by send_placed() says itself where its payload lands, so that nobody is asked. It
// arrives once its payload is there, in no order with others. Memory that may be named is exposed or posted
// by its node; what names other memory is dropped by its target's port, and nothing is written. A port that
// knows no places sends such a message like any other, and its target is asked.
//
// Reliability: a message arrives once and intact, whatever happens to its packets below. A message that
// cannot be delivered (its target is dead, a link stays broken) is reported to its sender by undeliverable(),
// and the part that may have arrived by landed() with kFailed.
//
// Memory: the header is copied by send(). The payload belongs to the fabric until sent(), or where the sender
// needs it back at once (Release) until send_placed() returns; the memory named in accept() until landed(),
// what is posted until its payload arrives. An Arrival's header is valid during
// arrived() alone, and so is an inline payload that is not said to stay.
//
// Threads: any thread may call send(), post(), accept(), discard() and progress(). PortClient functions are
// called from progress() where the fabric is live, and from the event loop in a simulation; one at a time for
// a port, never from within send(), accept() or discard(), and with no lock held. They may call send(),
// accept() and discard().
//
//   sender                                   target
//   send(to, header, payload, a)  ───────▶   arrived({from, header, bytes, id})
//   sent(a)  the memory is free              accept(id, where, keep_bytes, b)   or discard(id)
//                                            landed(b)  the payload is in place
//   send_placed(to, header, payload, place, release, a)  ─▶  arrived(...)  it is in place; discard(id)
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

/// The cookie of a message whose sender needs not hear of sent(): a port may leave that report out.
inline constexpr std::uint64_t kNoReport = ~std::uint64_t{0};

/// A part of the payload, in this node's memory.
struct Piece {
  void* base = nullptr;
  std::size_t bytes = 0;
};

/// One use of the network in a job. Messages of different planes do not meet. Whoever opens a port gives its
/// plane a number that no other use has; tests/layers compares them.
enum class Plane : std::uint8_t {};

/// Where a payload lands without its target being asked.
struct Place {
  enum class Kind : std::uint8_t {
    kExposed,  ///< at this address of the target, in what it has exposed
    kPosted,   ///< in what it has posted under this name
    kBuffer,   ///< in its port's memory until arrived() returns; at most kMostBuffered bytes
  };
  static constexpr std::size_t kMostBuffered = std::size_t{65} << 10;

  Kind kind = Kind::kBuffer;
  std::uint64_t at = 0;

  bool operator==(const Place&) const = default;
};

/// When the memory of a payload is its owner's again: at sent(), or when send_placed() returns, which then
/// copies what it still needs (Traits::released_bytes).
enum class Release : std::uint8_t { kWhenSent, kAtReturn };

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
  /// Payloads up to this size (or copied_bytes) send_placed() releases at its return, if asked to: it sends
  /// them from where they lie, and copies them only then.
  std::size_t released_bytes = 0;
};

/// A message whose header has reached its target.
struct Arrival {
  NodeId source = 0;
  std::span<const std::byte> header;
  std::size_t payload_bytes = 0;
  const std::byte* inline_payload = nullptr;  ///< the whole payload if it is here or in its place, else null
  std::uint64_t id = 0;                       ///< names it in accept() and discard()
  bool payload_stays = false;                 ///< inline_payload may be read and written until the answer
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
  /// Whether somebody may rest until sent() of that message. If not, the report need not wake anybody: it may
  /// wait until the port is asked for progress for another reason.
  virtual bool awaits_sent(std::uint64_t cookie) {
    (void)cookie;
    return true;
  }
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
  /// Likewise; the payload lands at `place` without the target being asked. kAtReturn only of payloads that
  /// the port says it releases, or copies anyway.
  virtual Post send_placed(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
                           const Place& place, Release release, std::uint64_t cookie) {
    (void)place, (void)release;
    return send(target, header, payload, cookie);
  }
  /// Memory of this node that others may name by its address, in place of what was exposed before.
  virtual void expose(const Piece& memory) { (void)memory; }
  /// Memory for one payload of `source`, of exactly this size; answers the name of its place, 0 if the port
  /// knows none. It is posted until that payload has come.
  virtual std::uint64_t post(NodeId source, const Piece& where) {
    (void)source, (void)where;
    return 0;
  }
  /// Takes back what was posted and has not been told to anybody.
  virtual void withdraw(std::uint64_t place) { (void)place; }
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

  /// The node has died, which this port cannot find out by itself: it reads no more of what waits to be sent
  /// there, or is sent there later, and reports sent() for it. Any thread.
  virtual void forget(NodeId node) { (void)node; }

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
