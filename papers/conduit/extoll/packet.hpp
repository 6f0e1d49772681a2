// The layout of an active message in VELO packets.
//
//   head        8 bytes: kind and category | handler | arguments | credits | bytes of payload
//   front       arguments, padded to 8 bytes; of a Long its destination; of one that is read by its target,
//               the source, too
//   payload     of a Medium, or of a Long that carries it
//
// The first packet of a message begins with its head. VELO's message type says what a packet is, and its tag
// counts packets between two ranks: none may be missing. The sender chooses the bytes per packet, but does
// not split the head or a quadword of the front.
//
// Control packets stand by themselves: a head whose `nargs` counts words of 8 bytes that follow.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>

#include "am/message.hpp"
#include "parts/body.hpp"
#include "velo2.h"

namespace aqueduct::conduit::extoll {

/// The payload of one slot of a mailbox.
inline constexpr std::size_t kPacketBytes = VELO2_SLOT_PAYLOAD;

/// VELO's message type.
enum class PacketType : std::uint8_t { kFirst, kMoreOfRequest, kMoreOfReply, kControl };

enum class MessageKind : std::uint8_t {
  kRequest = 1,
  kReply,
  // Control packets.
  kCredits,     ///< nothing but `credits`
  kLanded,      ///< words: places of puts that are in memory
  kSourceRead,  ///< words: names of Longs whose payload has been read
};

enum class MessageForm : std::uint8_t {
  kShort,
  kMedium,
  kPackedLong,   ///< carries its payload
  kLong,         ///< the payload comes by RMA
  kExposedLong,  ///< the target reads the payload
};

struct Head {
  std::uint8_t kind = 0, form = 0;  // four bits each on the wire
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  std::uint8_t credits = 0;
  std::uint32_t payload_bytes = 0;

  static constexpr std::size_t kBytes = 8;

  void encode(std::byte* to) const {
    const std::uint8_t bytes[4] = {static_cast<std::uint8_t>(kind << 4 | form), handler, nargs, credits};
    std::memcpy(to, bytes, sizeof bytes);
    std::memcpy(to + sizeof bytes, &payload_bytes, sizeof payload_bytes);
  }
  static Head decode(const std::byte* from) {
    std::uint8_t bytes[4];
    Head head;
    std::memcpy(bytes, from, sizeof bytes);
    std::memcpy(&head.payload_bytes, from + sizeof bytes, sizeof head.payload_bytes);
    head.kind = bytes[0] >> 4;
    head.form = bytes[0] & 15;
    head.handler = bytes[1];
    head.nargs = bytes[2];
    head.credits = bytes[3];
    return head;
  }
  MessageKind message_kind() const { return static_cast<MessageKind>(kind); }
  MessageForm message_form() const { return static_cast<MessageForm>(form); }
};

/// Follows the arguments of a Long that its target reads: where the payload is, and the name for the answer.
struct ExposedSource {
  std::uint64_t nla = 0;
  std::uint64_t name = 0;
};

constexpr std::size_t front_bytes(MessageForm form, unsigned nargs) {
  const std::size_t beside = form < MessageForm::kPackedLong ? 0
                             : form == MessageForm::kExposedLong
                                 ? sizeof(std::uint64_t) + sizeof(ExposedSource)
                                 : sizeof(std::uint64_t);
  return parts::arguments_bytes(nargs) + beside;
}
inline constexpr std::size_t kMostFrontBytes = front_bytes(MessageForm::kExposedLong, am::kMaxArgs);
/// How many bytes of its payload a message has in its packets.
constexpr std::size_t bytes_along(const Head& head) {
  const MessageForm form = static_cast<MessageForm>(head.form);
  return form == MessageForm::kMedium || form == MessageForm::kPackedLong ? head.payload_bytes : 0;
}

/// Words of a control packet.
inline constexpr unsigned kMostWords = (kPacketBytes - Head::kBytes) / sizeof(std::uint64_t);

/// The place and size of data in a segment, as an RMA notification says them, in one word.
constexpr unsigned kPlaceSizeBits = 23;
constexpr std::uint64_t place_of(std::uint64_t offset, std::size_t bytes) {
  return offset << kPlaceSizeBits | (bytes - 1);
}
/// Offsets in a larger segment would not fit.
inline constexpr std::uint64_t kMostSegmentBytes = std::uint64_t{1} << (64 - kPlaceSizeBits);

/// A message that leaves, and how much of it has left.
struct Outgoing {
  RankId target = 0;
  bool is_reply = false;
  std::uint32_t front_bytes = 0;  ///< with the head
  std::uint32_t sent_bytes = 0;   ///< of all
  const std::byte* payload = nullptr;
  std::size_t payload_bytes = 0;
  alignas(8) std::byte front[Head::kBytes + kMostFrontBytes];
  std::unique_ptr<std::byte[]> kept;  ///< the payload of a message that waits
  std::size_t kept_bytes = 0;

  std::size_t bytes() const { return front_bytes + payload_bytes; }
  std::size_t left() const { return bytes() - sent_bytes; }
};

}  // namespace aqueduct::conduit::extoll
