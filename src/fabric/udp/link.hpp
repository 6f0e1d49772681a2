// A link: the protocol between this node and one other, without a socket and without a clock of its own.
// Whoever owns it tells it the time and what has come, asks it for datagrams, and carries them.
//
// Streams. Messages go into a stream of bytes, of which a datagram carries as much as fits, so that messages
// that queue share datagrams and larger ones are cut. A second stream carries answers to larger payloads
// (control), which must get through while the first is full. A larger payload travels beside the streams, in
// datagrams that carry parts of it, which land in their places in any order (packet.hpp has the forms). If
// the message names the place, the parts go at once and the header is the first of them; the message is there
// when all have come. If not, its header comes as a message, and the target says how much of the payload it
// wants.
//
// Acknowledgement. Every datagram has a number of its own. The receiver says which it has, with whatever it
// sends next; by itself when enough have come, when one is missing, when the sender asks for it (the last
// datagram of a burst does), or when it has waited for kAckDelayNs and nothing else went. So two that answer
// each other send nothing but requests and replies.
//
// Loss. A datagram is lost when one sent three later, or long enough later, has been acknowledged (more than
// three where datagrams turned out to change places). What
// it carried goes again, in a new datagram under a new number. If nothing is acknowledged for as long as
// round trips suggest, the oldest part in doubt goes again as a probe, in one to three datagrams; longer and
// longer waits follow. A peer that acknowledges nothing for give_up_ns, through several probes, is given up,
// also if it sends something else: what was on its way is reported, and so is everything that is sent there
// later.
//
// Windows. Messages: the receiver grants room in bytes of their stream, and takes back what the client has
// not answered. Datagrams in flight: the congestion window (congestion.hpp), the room that the receiver's
// socket has, and the span of numbers that a receiver remembers; one datagram may always go.
//
// Path. Datagrams are as large as the socket says they may be. If large ones disappear while small ones get
// through, the link falls to kSafeDatagram and tries the larger size again from time to time.
//
// Company. A small message that finds few datagrams in flight goes at once. Otherwise it waits for others to
// share its datagram, until one is full, acknowledgements come, or the owner flushes because its client
// waits. One that names its place and goes at once goes beside the stream if it is not very small: so it is
// not copied into the stream and out of it. A larger one that fits a datagram waits likewise, until as many
// bytes wait as a kernel cuts at once: datagrams of one size then cost little more than one. So that they are
// of one size, each of them has the acknowledgement that the first has.
//
// Memory: a link costs about 1 KiB and what is in flight; when nothing is, that memory is given back. Not
// thread-safe.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fabric/udp/arriving_messages.hpp"
#include "fabric/udp/congestion.hpp"
#include "fabric/udp/counters.hpp"
#include "fabric/udp/packet.hpp"
#include "fabric/udp/receive_stream.hpp"
#include "fabric/udp/received_numbers.hpp"
#include "fabric/udp/round_trip.hpp"
#include "fabric/udp/send_stream.hpp"
#include "fabric/udp/sent_packets.hpp"
#include "fabric/udp/transfers.hpp"
#include "fabric/udp/undelivered.hpp"

namespace aqueduct::fabric::udp {

struct LinkSettings {
  std::size_t inline_bytes = std::size_t{8} << 10;      ///< payloads up to this size go with their header
  std::size_t beside_bytes = std::size_t{4} << 10;      ///< above this beside the stream if that is idle
  std::size_t message_window = std::size_t{256} << 10;  ///< of the stream of messages; a power of two
  std::size_t most_transfers = 64;                      ///< larger payloads on their way to one peer
  std::size_t most_copied = std::size_t{2} << 20;       ///< bytes of those that were released at return
  std::uint64_t give_up_ns = 60'000'000'000;            ///< 0: never
  std::uint64_t widen_after_ns = 1'000'000'000;         ///< until a larger datagram is tried again
};

class Link;

/// What a link tells its owner, from within receive(), send(), tick() and fail().
class LinkOwner {
 public:
  /// The record's bytes are valid as long as ReceiveStream::feed() says.
  virtual void message_came(Link& link, const MessageRecord& record) = 0;
  /// Where `peer` may put a payload of so many bytes that names this place.
  virtual PlacedMemory memory_of(NodeId peer, const Place& place, std::uint64_t bytes) = 0;
  /// If the datagram that is being received is all that its memory holds: that memory becomes `buffer`, and
  /// the receiver has the former one instead. False: nothing has changed.
  virtual bool exchange_received(BufferPool::Buffer& buffer) = 0;
  /// All of it is there; `message` is valid during the call, and its buffer the owner's.
  virtual void message_placed(Link& link, ArrivingMessage& message) = 0;
  /// The rest of it will not come.
  virtual void abandoned(ArrivingMessage& message) = 0;
  virtual void landed(std::uint64_t cookie, Outcome outcome) = 0;
  virtual void sent(std::uint64_t cookie) = 0;
  virtual void undeliverable(NodeId peer, std::uint64_t cookie, std::span<const std::byte> header) = 0;
  virtual void lost(NodeId peer) = 0;
  virtual void retried(NodeId peer, observe::Retry why) = 0;
  /// What datagrams that were built say of `from` lies at `to` from now on.
  virtual void moved(const Piece& from, std::byte* to) = 0;
  /// Where memory that records lie in is kept until they are delivered.
  virtual std::vector<std::vector<std::byte>>& kept() = 0;
  virtual BufferPool& buffers() = 0;

 protected:
  ~LinkOwner() = default;
};

/// A datagram that a link wants to have sent: bytes in the owner's memory, behind them a part of a payload in
/// the client's. Or the first of several that are alike: each of the others has the next number and carries
/// the next part of the payload, of the same size.
struct BuiltDatagram {
  std::uint64_t number = 0;
  bool has_ack = false;
  std::size_t bytes = 0;  ///< in the owner's memory
  std::span<const Piece> pieces;
  Range part;  ///< of the pieces

  /// What the next datagram begins with if it carries just as much of the same message: all but its number
  /// and the offset of its part. 0 bytes: it needs a beginning of its own.
  static constexpr std::size_t kMostAlike = 96;
  std::size_t alike_bytes = 0;
  std::size_t part_at = 0;  ///< where the frame of its part begins
  std::uint32_t transfer = 0;
  std::array<std::byte, kMostAlike> alike;

  std::size_t whole_bytes() const { return bytes + static_cast<std::size_t>(part.size()); }
  /// Of several that are alike: writes the beginning of the one with this index to `to`, which has room for
  /// kMostAlike.
  void write_beginning(std::byte* to, unsigned index) const {
    std::memcpy(to, alike.data(), kMostAlike);
    rewrite_number(to, number + index);
    rewrite_part_offset(to + part_at, part.begin + index * part.size());
  }
};

class Link {
 public:
  static constexpr std::uint64_t kAckDelayNs = 50'000;
  static constexpr std::size_t kSafeDatagram = 1200;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Names {
    std::uint32_t job = 0;
    Plane plane{};
    NodeId self = 0;
    NodeId peer = 0;
  };

  /// `largest_datagram`: without the tag. `flight_room`: what the own socket has room for.
  Link(const LinkSettings& settings, const Names& names, std::size_t largest_datagram,
       std::uint32_t flight_room, LinkOwner& owner, Counters& counters);

  NodeId peer() const { return names_.peer; }
  bool is_dead() const { return is_dead_; }
  /// The time since which a peer that was given up has acknowledged nothing.
  std::uint64_t silent_since_ns() const { return silent_since_ns_; }

  // Messages.
  /// False: there is no room now. `place` may be null: the target is asked where a larger payload lands.
  /// kAtReturn: when its first datagrams are built, release_payload() follows.
  bool send(std::span<const std::byte> header, std::span<const Piece> payload, std::size_t payload_bytes,
            const Place* place, Release release, std::uint64_t cookie);
  /// Copies the payload of the message that was sent last, if its sender needs the memory back.
  void release_payload();
  /// Answers a message whose payload did not come along; `keep_bytes` 0: none of it is wanted.
  void accept(std::uint32_t transfer, std::span<const Piece> where, std::uint64_t keep_bytes,
              std::uint64_t cookie);
  /// The client has answered a message of so many bytes: its room is free.
  void release(std::size_t record_bytes);

  // Datagrams.
  /// Whether there is one to send now. `flush`: nothing waits for company.
  bool wants_to_send(std::uint64_t now_ns, bool flush);
  /// Writes that one to `to`, which has room for largest_datagram().
  void build(std::uint64_t now_ns, std::byte* to, BuiltDatagram* built);
  /// `*built` was built for this peer just before, at the same time. How many datagrams follow it that are
  /// like it, at most `most`: the link takes them for sent, and `*built` becomes the first of them, whose
  /// beginning the owner writes. 0: what comes next has to be built.
  unsigned build_alike(std::uint64_t now_ns, unsigned most, BuiltDatagram* built);
  /// All has been built that may go now.
  void look_at_window() {
    if (!is_held_back()) return;
    ++counters_.window_closed;
    was_full_ = true;
  }
  /// `number` is not known yet; the frames are those of that datagram. False: it is dropped.
  bool receive(std::uint64_t number, const Frames& frames, std::uint64_t now_ns);
  /// `count` datagrams that are like one that was received just before (PartPattern): their numbers are the
  /// next behind that of the latest. `part` is that of the first, the data of the others are `stride` apart.
  void receive_alike(unsigned count, const PartFrame& part, std::size_t stride, std::uint64_t now_ns);
  /// Whether no number beyond this has come.
  bool is_latest(std::uint64_t number) const { return received_.has_any() && received_.largest() == number; }
  ReceivedNumbers::Verdict judge(std::uint64_t number) const { return received_.judge(number); }

  // Time.
  /// When to call tick() next; kNever if nothing is awaited.
  std::uint64_t deadline_ns() const;
  void tick(std::uint64_t now_ns);
  /// Small messages wait for company.
  bool holds_back() const { return !is_dead_ && (held_bytes_ != 0 || message_may_go(true)); }
  /// The peer waits to hear what has come, how much room it has, or where a payload lands.
  bool has_answers() const { return !is_dead_ && (owes_now_ || control_.unsent() != 0); }
  /// Nothing is in flight, owed or waiting.
  bool is_idle() const {
    return is_dead_ || (packets_in_flight_ == 0 && owed_packets_ == 0 && !owes_now_ && messages_.is_empty() &&
                        control_.is_empty() && held_bytes_ == 0 && next_transfer() == kNoTransfer);
  }

  /// Something was sent, or waits to be, that the peer has not acknowledged; not where it has left several
  /// probes unanswered: it is gone. More of them where the path loses many datagrams.
  bool awaits_acknowledgement() const {
    constexpr unsigned kMostProbes = 4, kMostWhereManyAreLost = 64;
    return !is_dead_ && probes_ < (congestion_.loses_many() ? kMostWhereManyAreLost : kMostProbes) &&
           (packets_in_flight_ != 0 || !messages_.is_empty() || !control_.is_empty());
  }

  /// This node is about to leave, and has little time: from now on waits grow no longer after a few probes.
  void hurry() { most_tries_ = 4; }

  /// What the socket says of the path.
  void set_ceiling(std::size_t largest_datagram);
  std::size_t largest_datagram() const { return largest_; }
  std::size_t bytes_in_flight() const { return bytes_in_flight_; }
  const RoundTrip& round_trip() const { return round_trip_; }

  /// Gives the peer up.
  void fail();

  /// What is_idle() gives its memory back. It takes some again with the next message.
  void release_memory();
  /// What it has beside itself, now and at most.
  std::size_t memory_bytes() const;
  static std::size_t most_bytes(const LinkSettings& settings);

 private:
  static constexpr std::size_t kNoTransfer = ~std::size_t{0};
  /// How far apart the numbers of transfers in use may be.
  static constexpr std::size_t kMostTransferSpan = 1024;
  /// A small message does not wait for company while fewer datagrams than this are in flight.
  static constexpr std::size_t kFewInFlight = 4;
  /// What a kernel cuts at once; a message waits for company if two of its size fit.
  static constexpr std::size_t kCutAtOnce = 65'000;

  void keep_alike(const std::byte* begin, const SentRun& packet, BuiltDatagram* built) const;
  /// Datagrams of so many bytes each are in flight.
  void takes_off(std::uint32_t count, std::size_t bytes, std::uint64_t now_ns);
  std::size_t window() const { return std::min(congestion_.window(), peer_flight_room_); }
  /// This datagram, or one as large as any, fills the window: what is left must wait for an acknowledgement.
  bool fills_window() const { return bytes_in_flight_ + largest_ >= window(); }
  bool window_is_open() const;
  /// The window is what keeps something from going.
  bool is_held_back() const {
    return !is_dead_ && !window_is_open() && (messages_.unsent() != 0 || next_transfer() != kNoTransfer);
  }
  bool has_lost_something() const;
  bool message_may_go(bool flush) const;
  /// The index of a transfer with something to send; kNoTransfer: there is none.
  std::size_t next_transfer() const;
  bool may_begin_transfer() const {
    return transfers_in_use_ != settings_.most_transfers && transfers_.size() < kMostTransferSpan;
  }
  bool may_copy(std::size_t bytes) const { return copied_bytes_ + bytes <= settings_.most_copied; }
  /// Nothing waits, and a message would go at once.
  bool is_little_used() const { return messages_.unsent() == 0 && packets_in_flight_ < kFewInFlight; }
  void send_beside(std::span<const std::byte> header, std::span<const Piece> payload,
                   std::size_t payload_bytes, const Place& place, Release release, std::uint64_t cookie);
  void hold(OutgoingTransfer& transfer);
  void let_held_go();
  OutgoingTransfer& begin_transfer(std::span<const std::byte> header, std::uint64_t payload_bytes,
                                   std::uint64_t cookie);
  std::size_t padding_before(const OutgoingTransfer& transfer, std::size_t bytes_before) const;
  std::size_t add_bulk(std::size_t used, std::byte* at, std::size_t room, SentRun* packet,
                       BuiltDatagram* built);
  std::size_t add_stream(SendStream& stream, FrameType type, std::uint64_t limit, std::byte* at,
                         std::size_t room, Range* range);
  std::size_t add_ack(std::byte* at, std::size_t room, std::uint64_t now_ns);
  bool wants_wide_probe(std::uint64_t now_ns) const;

  bool has_room_for(const Frames& frames) const;
  bool may_land(const PartFrame& part, unsigned count);
  void owe(unsigned packets, std::size_t bytes, bool at_once, std::uint64_t now_ns);
  void take_ack(const AckFrame& ack, std::uint64_t now_ns);
  void settle(const SentPackets::Stretch& packets);
  void settle_pings();
  void acknowledge(const SentPackets::Stretch& packets);
  void lose(const SentPackets::Stretch& packets, std::uint64_t now_ns);
  void requeue(const SentPackets::Stretch& packets);
  void find_lost(std::uint64_t now_ns);
  std::uint64_t lost_before() const;
  void drop_delivered();
  void take_messages(const StreamFrame& frame);
  void take_control(const StreamFrame& frame);
  void take_bulk(const BulkFrame& frame);
  void take_parts(const PartFrame& first, unsigned count, std::size_t stride);
  void follow(const ControlRecord& record);
  void finish(OutgoingTransfer& transfer);
  void give_copy_back(OutgoingTransfer& transfer);
  void probe(std::uint64_t now_ns);
  void narrow();
  bool awaits_something() const;
  std::uint64_t probe_at_ns() const {
    // While room is awaited every question is answered, so that probes_ says nothing of how long that lasts.
    const unsigned tries = packets_in_flight_ == 0 ? std::max(probes_, room_probes_) : probes_;
    return last_sent_ns_ + round_trip_.probe_timeout_ns(std::min(tries, most_tries_));
  }
  /// The next of a sequence that has no short period (Lehmer), the same in each run.
  std::uint32_t roll() {
    die_ = static_cast<std::uint32_t>(std::uint64_t{die_} * 48271 % 0x7fff'ffff);
    return die_ >> 8;
  }

  OutgoingTransfer* transfer(std::uint32_t number) {
    const std::uint32_t index = number - first_transfer_;
    return index < transfers_.size() ? &transfers_[index] : nullptr;
  }

  const LinkSettings& settings_;
  Names names_;
  LinkOwner& owner_;
  Counters& counters_;
  bool is_dead_ = false;

  // Sending.
  SendStream messages_;
  SendStream control_;
  UndeliveredMessages undelivered_;
  OutgoingTransfers transfers_;  // the first has the number first_transfer_
  std::uint32_t first_transfer_ = 0;
  std::size_t transfers_in_use_ = 0;
  std::size_t held_bytes_ = 0;    // of transfers that wait for company
  std::size_t copied_bytes_ = 0;  // of transfers whose payload is, or will be, a copy
  std::uint64_t message_limit_;   // the room that the peer has granted
  std::size_t peer_flight_room_;  // of its socket
  SentPackets packets_;
  std::size_t packets_in_flight_ = 0;
  std::size_t bytes_in_flight_ = 0;
  std::uint64_t largest_acknowledged_ = 0;
  bool has_acknowledged_ = false;
  std::uint64_t last_sent_ns_ = 0;  // of what needs an acknowledgement
  std::uint64_t reordering_ = 3;    // a packet is lost if one sent so many later has come
  std::uint64_t loss_deadline_ns_ = kNever;
  std::uint64_t silent_since_ns_ = 0;  // nothing was acknowledged that was in doubt
  unsigned probes_ = 0;                // since something was acknowledged
  unsigned room_probes_ = 0;           // since the peer has granted more room
  unsigned most_tries_ = ~0u;
  unsigned may_probe_ = 0;     // datagrams of a probe that are still to go, whatever the window says
  unsigned small_probes_ = 0;  // so many of them, the last ones, carry nothing
  std::uint32_t die_ = 1;      // never 0 nor a multiple of roll()'s modulus
  bool was_full_ = false;      // the window has held something back
  Congestion congestion_;
  RoundTrip round_trip_;

  // Path.
  std::size_t ceiling_;
  std::size_t largest_;
  unsigned large_lost_ = 0;  // datagrams above kSafeDatagram, since one of them came through
  std::uint64_t widen_at_ns_ = kNever;
  std::uint64_t widen_after_ns_;

  // Receiving.
  ReceivedNumbers received_;
  ReceiveStream messages_in_;
  ReceiveStream control_in_;
  std::vector<Landing> landings_;
  ArrivingMessages arriving_;
  std::uint32_t flight_room_;
  std::uint64_t released_ = 0;    // bytes of messages that the client has answered
  std::uint64_t advertised_ = 0;  // released_ when the peer was last told
  unsigned owed_packets_ = 0;     // that need an acknowledgement
  std::size_t owed_bytes_ = 0;
  bool owes_now_ = false;
  std::uint64_t owed_since_ns_ = 0;
  std::uint64_t largest_came_ns_ = 0;
};

}  // namespace aqueduct::fabric::udp
