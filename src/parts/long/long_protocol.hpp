// AM Long over any network: the contract between a conduit and the protocol that orders payload and handler.
//
// A Long has two parts that may travel by themselves. The payload is put to its destination, the envelope
// says which handler to run with which arguments. The handler must not run before the payload is there, and
// the initiator must learn when its memory is free. Five protocols do that; which one fits depends on what
// the network can do (LongAbilities), and each is one file of this folder (docs/long.md compares them).
//
// Three sides: the conduit owns a LongSend for each message that leaves and a LongArrival for each envelope
// that comes; the network (LongNetwork, the conduit's, too) moves bytes; the protocol says in which order.
//
//   initiator                                      target
//   start(send)     put_payload(send, report)  ─▶  payload_came(source, nonce)   if the target is told
//                   send_envelope(send)        ─▶  envelope_came(arrival)
//   put_left(send), put_landed(send)               get_payload(arrival) ... payload_read(arrival)
//   source_read(send)                          ◀─  tell_source(arrival)          rendezvous alone
//   finished(send)
//
// What arrives complete is returned to the conduit, which delivers it when and how it likes.
//
// Nonces: a LongSend has one that no other of the same source, target and direction has until its message has
// been delivered, and none of ours until it is finished, too. A slot that the reply to a request gives back,
// also an implicit one, is such a number, and so is the slot of the request that a reply answers: nothing has
// to be sent to recycle it. Networks that tell the target where a payload has landed and nothing else have
// the place for a nonce (LongAbilities::tells_place), which several messages may have at once.
//
// Local completion: a payload is counted in LongSend::unreleased from start() until its memory is free.
// start() never waits for that. The one protocol that waits in start() is kPutSyncSend, whose point that is:
// nobody gets it who has not named it.
//
// Threads: any, for different messages at the same time. Reports about one message may come on any thread and
// while start() still runs. No lock is held while the network or the conduit is called.
#pragma once
#include <atomic>
#include <memory>

#include "am/message.hpp"
#include "base/spin_lock.hpp"

namespace aqueduct::parts {

enum class LongProtocolKind : std::uint8_t {
  kOrdered,        ///< payload and envelope one behind the other; the network keeps their order
  kPutSyncSend,    ///< synchronous chaining: the initiator waits for the payload's landing, then sends
  kAsyncChaining,  ///< asynchronous chaining: as before, but the envelope is sent when polling finds it
                   ///< landed
  kRendezvousGet,  ///< the envelope says where the payload is; the target reads it
  kReassembly,     ///< both at once in any order; the target matches them
};
inline constexpr unsigned kLongProtocols = 5;

enum class Ability : std::uint8_t {
  kNo,
  kAtACost,  ///< on request, not by itself
  kYes,
};

/// What a network can do. A conduit states it once.
struct LongAbilities {
  /// An envelope never arrives before the payloads that were put to the same rank before it was sent.
  Ability ordered = Ability::kNo;
  /// The initiator can be told when a payload has landed at its destination.
  bool reports_landing = false;
  /// The target can be told when a payload has landed there, with its source and its nonce.
  bool tells_target = false;
  /// The target of an envelope can read the payload out of the initiator's memory.
  Ability reads = Ability::kNo;
  /// The target is not told a nonce but the place of a payload, address and size, which stands for one.
  /// Messages under way to the same place cannot be told apart, and need not be: what is there is undefined
  /// until all of them have come.
  bool tells_place = false;
};

/// A Long that leaves. The conduit's, from start() until finished(). It sets the first group before.
struct LongSend {
  RankId target = 0;
  bool is_reply = false;
  const void* payload = nullptr;
  std::size_t payload_bytes = 0;  ///< never 0: an empty payload needs no protocol
  void* destination = nullptr;
  std::uint64_t nonce = 0;
  am::Unreleased* unreleased = nullptr;  ///< counts payloads whose memory is in use; never null in start()

  /// The number of pieces into which the network has split the payload; the target is told of each.
  /// put_payload() sets it.
  std::uint16_t pieces = 1;

  // The protocol's.
  std::atomic<std::uint8_t> reports{0};     ///< what has been said of the payload
  std::atomic<std::uint8_t> steps_left{0};  ///< until it is finished
  LongSend* next_unsent = nullptr;

  /// Sets the first group from a message.
  void set(RankId to, const am::Message& message, std::uint64_t new_nonce) {
    target = to;
    is_reply = message.is_reply;
    payload = message.payload;
    payload_bytes = message.payload_bytes;
    destination = message.destination;
    nonce = new_nonce;
    unreleased = message.unreleased;
  }
};

/// An envelope that has come. The conduit's; it keeps one that was not returned to it until it is.
struct LongArrival {
  RankId source = 0;
  bool is_reply = false;
  std::uint64_t nonce = 0;
  std::uint16_t pieces = 1;  ///< as the envelope says
  void* destination = nullptr;
  std::size_t payload_bytes = 0;
  LongArrival* next_unread = nullptr;  ///< the protocol's
};

/// Where a payload has landed, from the notice; null if the envelope carries it.
struct LandedAt {
  void* address = nullptr;
  std::size_t bytes = 0;
};

/// What a protocol keeps at the target of messages that are not complete.
struct LongMemory {
  std::size_t most_waiting = 0;  ///< messages at once, ever
  std::size_t waiting = 0;       ///< now
  std::size_t bytes = 0;
};

/// Which reports of a put the initiator wants. In each case put_landed() also says that the memory is free.
enum class PutReport : std::uint8_t {
  kLeft,        ///< one report: put_left() or put_landed(), whichever the network has
  kLanded,      ///< put_landed(), and put_left() before it or not at all
  kTellTarget,  ///< as kLeft, and the target is told of each piece by payload_came()
};

/// The answer of put_payload().
enum class PayloadPut : std::uint8_t {
  kRetry,    ///< nothing has happened, try again
  kBegun,    ///< reports will come, and may have come
  kHasLeft,  ///< the same, and the memory is free already: what left is a copy
};

/// Implemented by a conduit; it calls back on the LongProtocol. kRetry: nothing has happened, try again.
class LongNetwork {
 public:
  virtual LongAbilities long_abilities() const = 0;

  // The initiator's side.
  /// Begins to write the payload to its destination. Reports may come before it returns, on other threads.
  virtual PayloadPut put_payload(LongSend& send, PutReport report) = 0;
  /// Lets the target read the payload, here or in a copy, until source_read(). Only where targets can read.
  virtual am::Post expose_payload(LongSend& send);
  virtual am::Post send_envelope(LongSend& send) = 0;
  /// Lets reports about messages come in; kPutSyncSend calls it until a payload has landed. Runs no request
  /// handlers.
  virtual void serve() = 0;
  /// The LongSend is the conduit's again. Once, last; `unreleased` has been counted down.
  virtual void finished(LongSend& send) = 0;

  // The target's side, only where targets can read.
  /// Begins to read the exposed payload to its destination; payload_read() when it is there.
  virtual am::Post get_payload(LongArrival& arrival);
  /// Tells the source of an envelope that its payload has been read: source_read() there.
  virtual void tell_source(LongArrival& arrival);

 protected:
  ~LongNetwork() = default;
};

class LongProtocol {
 public:
  explicit LongProtocol(LongNetwork& network) : network_(network) {}
  virtual ~LongProtocol() = default;
  LongProtocol(const LongProtocol&) = delete;

  // The initiator's side.
  /// Sends a Long. After kDone the LongSend may be finished already.
  am::Post start(LongSend& send);
  /// The network does not read the payload's memory any more.
  void put_left(LongSend& send);
  /// The payload is at its destination.
  void put_landed(LongSend& send);
  /// The target has read the payload.
  virtual void source_read(LongSend& send);

  // The target's side. Each answers what is complete now and must be delivered, once; null: nothing.
  virtual LongArrival* envelope_came(LongArrival& arrival) { return &arrival; }
  virtual LongArrival* payload_came(RankId source, bool is_reply, std::uint64_t nonce, LandedAt at = {});
  virtual LongArrival* payload_read(LongArrival& arrival);
  virtual LongMemory memory() const { return {}; }

  /// Whether an envelope has found no room.
  bool has_unsent() const { return has_unsent_.load(std::memory_order_relaxed); }
  /// Goes on with what has found no room. The conduit calls it when it polls.
  void poll() {
    if (has_unsent_.load(std::memory_order_relaxed)) send_unsent();
    poll_arrivals();
  }

 protected:
  /// Does the first steps.
  virtual am::Post begin(LongSend& send) = 0;
  /// The first report that the memory is free, or the one that it has landed.
  virtual void has_left(LongSend& send) { (void)send; }
  virtual void has_landed(LongSend& send) { (void)send; }
  virtual void poll_arrivals() {}

  /// Begins to write the payload; false: nothing has happened. `send` may not be finished before this
  /// returns: so a step is left that only begin() does.
  bool put_payload(LongSend& send, PutReport report);
  /// Sends the envelope now, or from poll() when there is room. This is one step.
  void send_envelope(LongSend& send);
  static void release(LongSend& send) { send.unreleased->fetch_sub(1, std::memory_order_release); }
  /// One of the steps that were left is done; the last one finishes it.
  void step(LongSend& send) {
    if (send.steps_left.fetch_sub(1, std::memory_order_acq_rel) == 1) network_.finished(send);
  }

  LongNetwork& network_;

 private:
  void send_unsent();

  SpinLock lock_;  // of the list
  LongSend* first_unsent_ = nullptr;
  LongSend* last_unsent_ = nullptr;
  std::atomic<bool> has_unsent_{false};
};

// One file each.
std::unique_ptr<LongProtocol> make_ordered(LongNetwork& network);
std::unique_ptr<LongProtocol> make_put_sync_send(LongNetwork& network);
std::unique_ptr<LongProtocol> make_async_chaining(LongNetwork& network);
std::unique_ptr<LongProtocol> make_rendezvous_get(LongNetwork& network);
std::unique_ptr<LongProtocol> make_reassembly(LongNetwork& network);

}  // namespace aqueduct::parts
