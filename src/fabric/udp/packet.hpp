// What a datagram between two nodes says, and how it is written and read.
//
// clang-format off
//   head    version 1 | plane 1 | bytes without the tag 2 | job 4 | sender 4 | target 4 | number 8
//   frames  each at most once, in any order:
//     ack      1, runs 1, delay 2, flight room 4, largest 8, message room 8, { gap 2, run 2 } ...
//     stream   2 (messages) or 3 (control), 0 1, bytes 2, offset 8, data
//     bulk     4, ping 1, bytes 2, transfer 4, offset 8, data              of a payload that was accepted
//     ping     5: the sender wants an acknowledgement at once
//     part     6, ping 1 bit and kind of place 7, bytes 2, transfer 4, offset 8, payload bytes 8, place 8,
//              header bytes 1, data                                       of a message that names its place
//     padding  0: whatever follows means nothing
//   tag     16 bytes, of the seal; absent without one
// clang-format on
//
// A packet is a datagram under its number. Numbers of one sender to one target begin with 0 on each plane and
// grow by one with each datagram; none is used again, so that no two datagrams have the same name (seal.hpp).
// What is lost travels again in a new packet.
//
// A message that names the place of its payload is one stretch of bytes, its header and then its payload, and
// each part of it says all that is known of it: so parts may come in any order, and the first that comes is
// as good as any other.
//
// decode_head() and decode_frames() read bytes from outside: they read nothing beyond what they are given,
// keep nothing, and what they answer lies inside it. Numbers are little-endian on the wire as in memory.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fabric/fabric.hpp"

namespace aqueduct::fabric::udp {

static_assert(std::endian::native == std::endian::little, "numbers travel as they lie in memory");

inline constexpr std::uint8_t kPacketVersion = 3;

struct PacketHead {
  std::uint8_t version = kPacketVersion;
  std::uint8_t plane = 0;
  std::uint16_t bytes = 0;  ///< of the datagram, without the tag
  std::uint32_t job = 0;    ///< the same in all datagrams of a job; keeps others out even without a seal
  NodeId sender = 0;
  NodeId target = 0;
  std::uint64_t number = 0;
};
inline constexpr std::size_t kPacketHeadBytes = 24;
static_assert(sizeof(PacketHead) == kPacketHeadBytes);

enum class FrameType : std::uint8_t { kPadding, kAck, kMessages, kControl, kBulk, kPing, kPart };

/// Numbers that have been received, beginning with the largest: `run` of them, then `gap` that were not, ...
/// The first gap is 0.
struct AckRun {
  std::uint16_t gap = 0;
  std::uint16_t run = 0;
};

struct AckFrame {
  static constexpr std::size_t kMostRuns = 32;
  static constexpr std::uint64_t kDelayUnitNs = 4096;
  static constexpr std::size_t kFixedBytes = 24;

  std::uint64_t largest = 0;
  std::uint64_t message_room = 0;  ///< messages may be sent up to this offset of their stream
  std::uint32_t flight_room = 0;   ///< bytes that may be on their way at once
  std::uint16_t delay = 0;         ///< since `largest` came, in kDelayUnitNs
  std::uint8_t runs = 0;           ///< at least one
  AckRun run[kMostRuns];

  static constexpr std::size_t bytes_for(std::size_t runs) { return kFixedBytes + runs * sizeof(AckRun); }
  std::size_t bytes() const { return bytes_for(runs); }
};

/// A part of one of the two streams.
struct StreamFrame {
  static constexpr std::size_t kFixedBytes = 12;
  std::uint64_t offset = 0;
  std::span<const std::byte> data;
};

/// A part of a larger payload whose target has said where it lands.
struct BulkFrame {
  static constexpr std::size_t kFixedBytes = 16;
  std::uint32_t transfer = 0;
  std::uint64_t offset = 0;
  std::span<const std::byte> data;
};

/// A part of a message whose payload lands at a place that the message names. At most kMostPadding bytes are
/// left out before its data, so that a payload may begin in the datagram where a client can use it.
struct PartFrame {
  static constexpr std::size_t kFixedBytes = 33;
  static constexpr std::size_t kPayloadAlignment = 16;
  static constexpr std::size_t kMostPadding = kPayloadAlignment - 1;
  static constexpr std::size_t kOffsetAt = 8;  ///< where `offset` lies in what write_part() writes
  std::uint32_t transfer = 0;
  std::uint64_t offset = 0;  ///< of the header and the payload behind it
  std::uint64_t payload_bytes = 0;
  Place place;
  std::uint8_t header_bytes = 0;
  std::span<const std::byte> data;
  std::uint8_t padding = 0;  ///< bytes before the data

  std::uint64_t end() const { return offset + data.size(); }
  std::uint64_t whole_bytes() const { return header_bytes + payload_bytes; }
};

/// All frames of a datagram.
struct Frames {
  bool has_ack = false;
  bool has_messages = false;
  bool has_control = false;
  bool has_bulk = false;
  bool has_part = false;
  bool has_ping = false;
  AckFrame ack;
  StreamFrame messages;
  StreamFrame control;
  BulkFrame bulk;
  PartFrame part;

  /// Whether the sender waits for an acknowledgement of it.
  bool elicits() const { return has_messages || has_control || has_bulk || has_part || has_ping; }
};

/// False: shorter than a head.
bool decode_head(std::span<const std::byte> datagram, PacketHead* head);
/// `body` is the datagram without head and tag. False: malformed.
bool decode_frames(std::span<const std::byte> body, Frames* frames);

/// What a datagram that ends with a part of a message says of others: those that are like it have its size,
/// and differ from it in their number, the offset of their part, and the data of that alone. Refers to the
/// datagram.
struct PartPattern {
  std::span<const std::byte> datagram;  ///< without the tag
  PacketHead head;
  PartFrame part;

  /// Whether the head of this datagram, as large as the first, is that of the one `index` behind it.
  bool is_head_of(std::span<const std::byte> other, unsigned index) const;
  /// Whether the rest of its beginning is, and its data belong to the message.
  bool is_beginning_of(std::span<const std::byte> other, unsigned index) const;
};

/// Fills in the size of a datagram, when it is known.
void write_size(std::byte* datagram, std::size_t bytes);
/// Makes of the head of a datagram that of another one, and of a part another part of the same message.
inline void rewrite_number(std::byte* datagram, std::uint64_t number) {
  std::memcpy(datagram + offsetof(PacketHead, number), &number, sizeof number);
}
inline void rewrite_part_offset(std::byte* part, std::uint64_t offset) {
  std::memcpy(part + PartFrame::kOffsetAt, &offset, sizeof offset);
}

// Writers return where they end. The data of a stream, bulk or part frame follows it and is the caller's
// business.
std::byte* write_head(std::byte* to, const PacketHead& head);
std::byte* write_ack(std::byte* to, const AckFrame& ack);
std::byte* write_stream(std::byte* to, FrameType stream, std::uint64_t offset, std::size_t bytes);
std::byte* write_bulk(std::byte* to, std::uint32_t transfer, std::uint64_t offset, std::size_t bytes,
                      bool has_ping);
/// All but the data, of which there are so many `bytes`.
std::byte* write_part(std::byte* to, const PartFrame& part, std::size_t bytes, bool has_ping,
                      std::size_t padding = 0);
std::byte* write_ping(std::byte* to);

// What the streams carry.
//
// clang-format off
//   messages   1, header bytes 1, 0 2, payload bytes 4, header, payload             a message
//              2, header bytes 1, 0 2, transfer 4, payload bytes 8, header          one whose payload follows by itself
//   control    1, 0 3, transfer 4, keep bytes 8                                     send so much of that payload
// clang-format on

enum class RecordKind : std::uint8_t { kInline = 1, kLarge = 2 };

struct MessageRecord {
  static constexpr std::size_t kInlineHeadBytes = 8;
  static constexpr std::size_t kLargeHeadBytes = 16;

  RecordKind kind = RecordKind::kInline;
  std::uint32_t transfer = 0;
  std::uint64_t payload_bytes = 0;
  std::span<const std::byte> header;
  const std::byte* payload = nullptr;  ///< of an inline one
  std::size_t bytes = 0;               ///< of the record
};

struct ControlRecord {
  static constexpr std::size_t kBytes = 16;
  std::uint32_t transfer = 0;
  std::uint64_t keep_bytes = 0;  ///< 0: it is not wanted
};

enum class Decoded : std::uint8_t { kWhole, kIncomplete, kMalformed };

/// The record at the beginning of `bytes`. A payload that comes along is at most `inline_bytes`.
Decoded decode_message(std::span<const std::byte> bytes, std::size_t inline_bytes, MessageRecord* record);
Decoded decode_control(std::span<const std::byte> bytes, ControlRecord* record);

/// Writes the head of a record; returns its size.
std::size_t write_inline_head(std::byte* to, std::size_t header_bytes, std::size_t payload_bytes);
std::size_t write_large_head(std::byte* to, std::size_t header_bytes, std::uint32_t transfer,
                             std::uint64_t payload_bytes);
std::size_t write_control(std::byte* to, const ControlRecord& record);

}  // namespace aqueduct::fabric::udp
