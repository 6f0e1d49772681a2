// The conduit over libfabric. docs/ofi.md says which path it takes with which provider.
//
// Active messages. One message each: a prefix (who sends, and how a long payload comes), the head and
// arguments of parts/am_codec.hpp, the payload, padded to 8 bytes. Small ones are injected, others copied to
// a buffer that is free again when the send is complete. They arrive in buffers that take many each; handlers
// run on them in place. What cannot be delivered now (a request while only replies may be) is copied to a
// parcel and waits. Flow control: parts/request_credits.hpp.
//
// Long messages above kLongInMessage go by a protocol of parts/long: the payload is written to its
// destination in pieces, and the rest comes as a message without payload. Pieces are written from where they
// are if the provider lets them, and else copied to bounce buffers.
//
// Put and get are writes and reads of the peer's segment, complete when they have arrived. Local memory is
// used as it is, or, where the provider asks for registration, through the segment's, Firehose's, or a
// bounce buffer. What finds no room is continued by poll().
//
// Atomics of domains that favour remote ranks are the provider's, all in the form that fetches, whose
// completion says that they are done; operands and what was there before are in a bounce buffer.
//
// Replies get through: requests leave some buffers to replies; everything that arrives is taken, and buffers
// of sends come back with completions, which every poll() reads.
//
// Threads: any. One lock is held over every call of libfabric, and while nothing is delivered.
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/spin_lock.hpp"
#include "conduit/ofi/buffers.hpp"
#include "conduit/ofi/segment_keys.hpp"
#include "parts/am_codec.hpp"
#include "parts/firehose.hpp"
#include "parts/long/choice.hpp"
#include "parts/long/leaving_long.hpp"
#include "parts/parcels.hpp"
#include "parts/pending_replies.hpp"
#include "parts/pool.hpp"
#include "parts/request_credits.hpp"

namespace aqueduct::conduit::ofi {

/// What stands before the head of every message.
struct Prefix {
  std::uint32_t source = 0;
  std::uint16_t tag = 0;     ///< of a long message whose pieces are counted
  std::uint16_t pieces = 0;  ///< their number; kArrived: the payload is there
  static constexpr std::uint16_t kArrived = 0xFFFF;
};
static_assert(sizeof(Prefix) == 8);

/// What puts, gets and atomics leave of the small bounce buffers to messages.
inline constexpr unsigned kSmallForMessages = 128;

inline constexpr std::size_t kMostPrefixBytes = sizeof(Prefix) + parts::kMostHeaderBytes;

struct LongPieces;
/// A message without its payload: prefix, head, arguments.
struct ReadyHeader {
  std::uint32_t bytes = 0;
  alignas(8) std::byte header[kMostPrefixBytes];
};
/// A long message on its way out whose payload is written beside it.
using LeavingLong = parts::LeavingLong<ReadyHeader, LongPieces>;

/// What one write moves of a long payload.
struct LongPiece : Operation {
  LeavingLong* whole = nullptr;
  Buffer* copy = nullptr;  ///< null: it is read where the client has it
  LocalMemory from;
  std::uintptr_t destination = 0;
  LongPiece* next = nullptr;  ///< of the same message, not written yet

  LongPiece() : Operation(Kind::kPiece) {}
};

/// How far the payload of a long message is.
struct LongPieces {
  parts::LongProtocol* protocol = nullptr;  ///< by which the message goes
  parts::PutReport report{};
  bool are_copied = false;
  bool is_finished = false;     ///< the message, for the protocol
  unsigned under_way = 0;       ///< pieces without completion yet
  LongPiece* unsent = nullptr;  ///< those that are not written yet
};

/// The message of one that comes in parts.
struct ArrivedLong : parts::LongArrival {
  parts::Parcel* parcel = nullptr;
  unsigned credits = 0;
};

/// A put or get.
struct Transfer {
  RankId target = 0;
  bool is_get = false;
  bool must_copy = false;  ///< the source is to be free when the call returns
  std::uintptr_t remote = 0;
  std::uintptr_t local = 0;
  std::size_t bytes = 0;   ///< not begun yet
  unsigned under_way = 0;  ///< parts without completion yet
  Rma::Done done = nullptr;
  void* operation = nullptr;
  std::atomic<bool>* is_sent = nullptr;  ///< told at the end, if it is not null
};

/// One read or write of a transfer.
struct TransferPart : Operation {
  Transfer* transfer = nullptr;
  Buffer* bounce = nullptr;
  void* copy_to = nullptr;  ///< of a get that comes through a bounce buffer
  std::size_t bytes = 0;
  parts::Firehose::Request pin;

  TransferPart() : Operation(Kind::kTransfer) {}
};

/// An atomic operation.
struct AtomicPart : Operation {
  Buffer* bounce = nullptr;
  void* before = nullptr;  ///< where the client wants what was there
  std::size_t bytes = 0;
  Atomics::Done done = nullptr;
  void* operation = nullptr;

  AtomicPart() : Operation(Kind::kAtomic) {}
};

class OfiConduit final : public Conduit,
                         public Rma,
                         public Atomics,
                         private parts::LongNetwork,
                         private parts::PendingReplies,
                         private parts::Firehose::Client {
 public:
  OfiConduit(const Settings& settings, Provider provider, const Opening& opening);
  ~OfiConduit() override;

  Limits limits() const override { return limits_; }
  Post inject(RankId target, const Message& request) override;
  Post reply(const Origin& origin, const Message& reply) override;
  unsigned poll(Scope scope) override;

  std::vector<std::byte> export_segment(const SegmentBounds& mine) override;
  void withdraw_segment() override;
  void import_segments(const SegmentKeys& keys) override;
  void segments_attached(std::span<const SegmentBounds> segments) override;

  int wake_descriptor() override { return network_.wake_descriptor(); }
  bool may_sleep() override;
  void finish_sending(std::uint64_t most_ns) override;
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(*this); }

  Rma* rma() override { return has_rma_ ? this : nullptr; }
  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Rma::Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Rma::Done done,
           void* operation) override;

  Atomics* atomics() override { return network_.properties().has_atomics ? this : nullptr; }
  bool has(AtomicType type, AtomicAction action) override;
  Post start(const AtomicRequest& request, Atomics::Done done, void* operation) override;

 private:
  /// A message that has come and is to be delivered.
  struct Arrival {
    parts::DecodedMessage decoded;
    RankId source;
    Buffer* buffer;
  };
  static constexpr std::size_t kAtOnce = 16;

  // All of these with the lock held.
  Post send(RankId target, parts::AmKind kind, const Message& message, unsigned credits);
  Post send_bytes(RankId target, const std::byte* bytes, std::size_t count);
  Post send_long(RankId target, parts::AmKind kind, const Message& message, unsigned credits);
  void pay_credits();

  // Of parts::LongNetwork.
  parts::LongAbilities long_abilities() const override { return network_.properties().long_abilities(); }
  Post put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override;
  void finished(parts::LongSend& send) override;

  parts::LongProtocol& protocol_of_sends();
  void make_pieces(LeavingLong& leaving, std::size_t most, fid_mr* registration);
  bool write_pieces(LeavingLong& leaving);
  void abandon_pieces(LeavingLong& leaving);
  void continue_long_sends();
  void piece_is_done(LongPiece& piece);
  void retire_if_over(LeavingLong& leaving);

  void progress(Arrival* arrivals, std::size_t* arrived);
  void completed(const Completion& completion, Arrival* arrivals, std::size_t* arrived);
  void take_message(const Completion& completion, Buffer* buffer, Arrival* arrivals, std::size_t* arrived);
  void piece_arrived(std::uint32_t data);
  void envelope_arrived(const Prefix& prefix, const parts::DecodedMessage& decoded);
  void ready(parts::LongArrival* complete);
  void keep(const Arrival& arrival);
  void release(Buffer* buffer);
  void post_receives();
  void abandon(Operation& operation);

  bool begin_part(Transfer& transfer);
  bool find_local(const Transfer& transfer, std::size_t most, TransferPart& part, LocalMemory* memory);
  bool advance(Transfer& transfer);
  void continue_transfers();
  void part_is_done(TransferPart& part);
  void give_back_local(TransferPart& part);
  void atomic_is_done(AtomicPart& part);

  // These without.
  Post begin(RankId target, bool is_get, std::uintptr_t remote, std::uintptr_t local, std::size_t bytes,
             bool must_copy, std::atomic<bool>* is_sent, Rma::Done done, void* operation);
  unsigned deliver_waiting(Scope scope);
  void deliver(Arrival& arrival, Scope scope, bool may_stay);

  parts::Firehose::Moved move(std::span<parts::Firehose::Region> unpin,
                              parts::Firehose::Region& pin) override;
  void unpin(std::span<parts::Firehose::Region> regions) override;

  void list_unanswered(parts::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

  std::uint32_t completion_data(RankId source, std::uint16_t tag) const {
    return static_cast<std::uint32_t>(source) << tag_bits_ | tag;
  }
  void touch(RankId peer);

  const Limits limits_;
  const RankId self_;
  const unsigned tag_bits_;
  world::World& world_;
  Clock& clock_;
  Receiver& receiver_;
  SegmentBounds segment_;
  bool has_rma_ = false;
  bool writes_longs_ = false;  // segments are there

  SpinLock lock_;  // of what follows
  Network network_;
  const std::size_t inject_bytes_;
  const unsigned large_for_replies_;   // that requests leave of the large buffers
  const unsigned large_for_messages_;  // that transfers leave of them
  BufferPool small_;
  BufferPool large_;
  BufferPool receives_;
  SegmentRegistration segments_;
  parts::RequestCredits credits_;
  parts::ParcelPool parcels_;
  parts::ParcelQueue requests_;
  parts::ParcelQueue replies_;
  unsigned waiting_ = 0;          // in both
  unsigned polls_under_way_ = 0;  // that deliver from receive buffers
  const unsigned most_polls_;
  std::vector<Buffer*> unposted_;  // receive buffers for which there was no room
  parts::LongProtocolKind long_kind_{};
  std::unique_ptr<parts::LongProtocol> long_;      // null: Longs go in messages
  std::unique_ptr<parts::LongProtocol> chaining_;  // for sends, once writes that tell the target are refused
  parts::Pool<LeavingLong> leaving_longs_;
  parts::Pool<LongPiece> pieces_;
  parts::Pool<ArrivedLong> arrived_longs_;
  unsigned longs_under_way_ = 0;
  std::deque<LeavingLong*> unfinished_longs_;  // that have pieces which are not written yet
  std::unordered_map<RankId, std::uint16_t> next_tag_;
  parts::Pool<Transfer> transfers_;
  parts::Pool<TransferPart> parts_;
  parts::Pool<AtomicPart> atomics_;
  std::deque<Transfer*> unfinished_transfers_;
  std::unique_ptr<parts::Firehose> firehose_;
  unsigned sends_under_way_ = 0;
  bool is_closed_ = false;        // this rank has left
  std::vector<bool> is_touched_;  // peers that something was injected to since the last finish_sending()
  std::vector<RankId> touched_;
};

}  // namespace aqueduct::conduit::ofi
