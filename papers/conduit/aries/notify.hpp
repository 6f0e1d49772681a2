// The notify word and the event bits that accompany a message on Aries.
//
//   notify word   0..15 initiator slot | 24..25 type | 26..31 target slot | 32..47 bytes | 48..55 handler |
//                 56..60 arguments | 61..63 command
//   event         0..23 rank | 24..25 type | 26..31 target slot, or what a control message says
//   control       the same, and 32..47 its argument: all 48 bits of a CQ write
//
// The types of events: a header is in the ring of that rank; the payload of a Long request or reply has
// landed; a control message. Initiator slots are buffers of the initiator's pool, target slots are places in
// its region at the target; both are held until the request is answered. A target slot is also the nonce of a
// Long, so the upper eight bits of its notify word and of its payload's event are the same.
#pragma once
#include <cstdint>

#include "am/message.hpp"

namespace aqueduct::conduit::aries {

inline constexpr RankId kMostRanks = 1u << 24;
inline constexpr unsigned kMostSlots = 64;

enum class EventType : std::uint8_t { kHeader, kRequestPayload, kReplyPayload, kControl };
enum class MessageType : std::uint8_t {
  kRequest = 1,
  kReply,
  kRendezvousRequest,  ///< the target fetches its body from the initiator's buffer
};
enum class MessageForm : std::uint8_t { kShort = 1, kMedium, kLong, kPackedLong };
enum class Control : std::uint8_t {
  kCredit,      ///< a request was handled without a reply; the argument is its initiator slot
  kSourceRead,  ///< the payload of a Long was read; the argument names it
};

struct Notify {
  std::uint16_t initiator_slot = 0;
  MessageType type = MessageType::kRequest;
  std::uint8_t target_slot = 0;
  std::uint16_t bytes = 0;  ///< of a packed payload
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  MessageForm command = MessageForm::kShort;

  /// Never 0.
  std::uint64_t encode() const {
    return initiator_slot | std::uint64_t{static_cast<std::uint8_t>(type)} << 24 |
           std::uint64_t{target_slot} << 26 | std::uint64_t{bytes} << 32 | std::uint64_t{handler} << 48 |
           std::uint64_t{nargs} << 56 | std::uint64_t{static_cast<std::uint8_t>(command)} << 61;
  }
  static Notify decode(std::uint64_t word) {
    return {static_cast<std::uint16_t>(word),           static_cast<MessageType>(word >> 24 & 3),
            static_cast<std::uint8_t>(word >> 26 & 63), static_cast<std::uint16_t>(word >> 32),
            static_cast<std::uint8_t>(word >> 48),      static_cast<std::uint8_t>(word >> 56 & 31),
            static_cast<MessageForm>(word >> 61)};
  }
};

struct Event {
  RankId rank = 0;
  EventType type = EventType::kHeader;
  std::uint8_t detail = 0;     ///< a target slot, or a Control
  std::uint16_t argument = 0;  ///< of a control message

  std::uint64_t encode() const {
    return rank | std::uint64_t{static_cast<std::uint8_t>(type)} << 24 | std::uint64_t{detail} << 26 |
           std::uint64_t{argument} << 32;
  }
  static Event decode(std::uint64_t data) {
    return {static_cast<RankId>(data & (kMostRanks - 1)), static_cast<EventType>(data >> 24 & 3),
            static_cast<std::uint8_t>(data >> 26 & 63), static_cast<std::uint16_t>(data >> 32)};
  }
};

}  // namespace aqueduct::conduit::aries
