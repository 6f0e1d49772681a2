// How an active message travels where the network has no form of its own for it: a head of 16 bytes, the
// arguments, and the payload, behind them or beside them.
//
// clang-format off
//   byte  0                              1        2      3        4 to 7         8 to 15       from 16
//         version 4, kind 2, category 2  handler  nargs  credits  payload bytes  destination   arguments, padded to 8
// clang-format on
//
// The brief form is for Shorts, Mediums and credits over a network that says how long a message is: four
// bytes and another version, then the arguments, then the payload at the next multiple of 8. A Short with one
// argument has 8 bytes instead of 24: one cache line less where messages pass through shared memory.
//
// `credits` are given back to the target beside the one that a reply gives back (request_credits.hpp); a
// message of kind kCredits carries nothing else. What arrives is checked before it is believed: decode()
// reads no byte beyond what it is given, and what it answers may be delivered.
#pragma once
#include <span>

#include "am/message.hpp"
#include "parts/body.hpp"

namespace aqueduct::parts {

enum class AmKind : std::uint8_t { kRequest = 1, kReply, kCredits };

inline constexpr unsigned kMostCredits = 255;  ///< in one message

inline constexpr std::size_t kHeadBytes = 16;
inline constexpr std::size_t kBriefHeadBytes = 4;
inline constexpr std::size_t kMostHeaderBytes = kHeadBytes + arguments_bytes(am::kMaxArgs);
/// Head and arguments.
constexpr std::size_t header_bytes(unsigned nargs) { return kHeadBytes + arguments_bytes(nargs); }

/// Writes head and arguments, header_bytes(message.nargs) in all; returns where they end.
std::byte* encode_header(std::byte* to, AmKind kind, const am::Message& message, unsigned credits);
/// The same in the brief form, not for Longs. Never longer.
std::byte* encode_brief(std::byte* to, AmKind kind, const am::Message& message, unsigned credits);

struct DecodedMessage {
  AmKind kind = AmKind::kCredits;
  unsigned credits = 0;  ///< that come back, with the one of a reply
  /// Arguments and payload are where they have arrived (place_payload() puts a Long's at its destination,
  /// which is checked); the payload is null where it comes beside the header.
  am::Message message;
};

/// `header` and `payload_bytes` beside it have arrived. Null, or why the message is malformed.
const char* decode(std::span<const std::byte> header, std::size_t payload_bytes, const am::Limits& limits,
                   const am::SegmentBounds& segment, DecodedMessage* decoded);
/// The same for a message in one piece. `bytes` are aligned to 8.
const char* decode_whole(std::span<const std::byte> bytes, const am::Limits& limits,
                         const am::SegmentBounds& segment, DecodedMessage* decoded);
/// Whether it begins as the brief form does.
bool is_brief(std::span<const std::byte> bytes);
/// The same for the brief form.
const char* decode_brief(std::span<const std::byte> bytes, const am::Limits& limits, DecodedMessage* decoded);
/// The same where zeros follow up to a multiple of 8 bytes. `is_beside`: a Long's payload comes otherwise.
const char* decode_padded(std::span<const std::byte> bytes, bool is_beside, const am::Limits& limits,
                          const am::SegmentBounds& segment, DecodedMessage* decoded);

}  // namespace aqueduct::parts
