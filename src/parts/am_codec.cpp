#include "parts/am_codec.hpp"

#include <algorithm>

namespace aqueduct::parts {
namespace {

constexpr unsigned kAmVersion = 2;

struct AmHead {
  std::uint8_t what;
  std::uint8_t handler;
  std::uint8_t nargs;
  std::uint8_t credits;
  std::uint32_t payload_bytes;
  std::uint64_t destination;

  unsigned version() const { return what >> 4; }
  AmKind kind() const { return static_cast<AmKind>(what >> 2 & 3); }
  am::Category category() const { return static_cast<am::Category>(what & 3); }
};
static_assert(sizeof(AmHead) == kHeadBytes);

}  // namespace

std::byte* encode_header(std::byte* to, AmKind kind, const am::Message& message, unsigned credits) {
  const AmHead head{static_cast<std::uint8_t>(kAmVersion << 4 | static_cast<unsigned>(kind) << 2 |
                                              static_cast<unsigned>(message.category)),
                    message.handler,
                    message.nargs,
                    static_cast<std::uint8_t>(credits),
                    static_cast<std::uint32_t>(message.payload_bytes),
                    reinterpret_cast<std::uint64_t>(message.destination)};
  std::memcpy(to, &head, sizeof head);
  return write_arguments(to + sizeof head, message);
}

const char* decode(std::span<const std::byte> header, std::size_t payload_bytes, const am::Limits& limits,
                   const am::SegmentBounds& segment, DecodedMessage* decoded) {
  AmHead head;
  if (header.size() < sizeof head) return "it is shorter than its head";
  std::memcpy(&head, header.data(), sizeof head);
  const bool is_long = head.category() == am::Category::kLong;
  if (head.version() != kAmVersion) return "it is of another version";
  if (head.kind() < AmKind::kRequest || head.category() > am::Category::kLong) {
    return "there is no such kind or category";
  }
  if (head.kind() == AmKind::kCredits && (head.category() != am::Category::kShort || head.nargs != 0)) {
    return "credits come with more";
  }
  if (head.nargs > am::kMaxArgs) return "it has too many arguments";
  if (header.size() != header_bytes(head.nargs) || payload_bytes != head.payload_bytes) {
    return "it has not the size that its head says";
  }
  const std::size_t largest[] = {0, limits.max_medium, limits.max_long};
  if (payload_bytes > largest[static_cast<unsigned>(head.category())]) return "the payload is too large";
  if (is_long && payload_bytes != 0 && !segment.contains(head.destination, payload_bytes)) {
    return "the payload would lie outside the segment";
  }
  const bool is_reply = head.kind() == AmKind::kReply;
  decoded->kind = head.kind();
  decoded->credits = head.credits + (is_reply ? 1u : 0u);
  decoded->message = {head.category(),
                      is_reply,
                      head.handler,
                      head.nargs,
                      reinterpret_cast<const std::int32_t*>(header.data() + sizeof head),
                      nullptr,
                      payload_bytes,
                      is_long ? reinterpret_cast<void*>(head.destination) : nullptr};
  return nullptr;
}

const char* decode_whole(std::span<const std::byte> bytes, const am::Limits& limits,
                         const am::SegmentBounds& segment, DecodedMessage* decoded) {
  const auto nargs = bytes.size() < kHeadBytes ? 0 : static_cast<unsigned>(bytes[offsetof(AmHead, nargs)]);
  const std::size_t header = std::min(header_bytes(nargs), bytes.size());
  const char* const why = decode(bytes.first(header), bytes.size() - header, limits, segment, decoded);
  if (!why) decoded->message.payload = bytes.data() + header;
  return why;
}

const char* decode_padded(std::span<const std::byte> bytes, bool is_beside, const am::Limits& limits,
                          const am::SegmentBounds& segment, DecodedMessage* decoded) {
  AmHead head;
  if (bytes.size() < sizeof head) return "it is shorter than its head";
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t header = std::min(header_bytes(head.nargs), bytes.size());
  const std::size_t room = bytes.size() - header;
  const bool fits =
      is_beside ? head.category() == am::Category::kLong && room == 0 : room == padded(head.payload_bytes);
  if (!fits) return "it has not the size that its head says";
  const char* const why = decode(bytes.first(header), head.payload_bytes, limits, segment, decoded);
  if (!why && !is_beside) decoded->message.payload = bytes.data() + header;
  return why;
}

}  // namespace aqueduct::parts
