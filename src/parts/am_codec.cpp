#include "parts/am_codec.hpp"

#include <algorithm>

namespace aqueduct::parts {
namespace {

constexpr unsigned kAmVersion = 2;
constexpr unsigned kBriefVersion = 3;

/// What both forms begin with.
struct Mark {
  std::uint8_t what;
  std::uint8_t handler;
  std::uint8_t nargs;
  std::uint8_t credits;

  static Mark of(unsigned version, AmKind kind, const am::Message& message, unsigned credits) {
    return {static_cast<std::uint8_t>(version << 4 | static_cast<unsigned>(kind) << 2 |
                                      static_cast<unsigned>(message.category)),
            message.handler, message.nargs, static_cast<std::uint8_t>(credits)};
  }
  unsigned version() const { return what >> 4; }
  AmKind kind() const { return static_cast<AmKind>(what >> 2 & 3); }
  am::Category category() const { return static_cast<am::Category>(what & 3); }

  /// Null, or why there is no such message.
  const char* refuses(unsigned version) const {
    if (this->version() != version) return "it is of another version";
    if (kind() < AmKind::kRequest || category() > am::Category::kLong) {
      return "there is no such kind or category";
    }
    if (kind() == AmKind::kCredits && (category() != am::Category::kShort || nargs != 0)) {
      return "credits come with more";
    }
    return nargs > am::kMaxArgs ? "it has too many arguments" : nullptr;
  }
  void decode(const std::byte* args, std::size_t payload_bytes, DecodedMessage* decoded) const {
    const bool is_reply = kind() == AmKind::kReply;
    decoded->kind = kind();
    decoded->credits = credits + (is_reply ? 1u : 0u);
    decoded->message = {
        category(), is_reply,      handler, nargs, reinterpret_cast<const std::int32_t*>(args),
        nullptr,    payload_bytes, nullptr};
  }
};
static_assert(sizeof(Mark) == kBriefHeadBytes);

struct AmHead {
  Mark mark;
  std::uint32_t payload_bytes;
  std::uint64_t destination;
};
static_assert(sizeof(AmHead) == kHeadBytes);

/// Where the payload of a message in the brief form begins; a Short ends behind its arguments.
std::size_t brief_header_bytes(am::Category category, unsigned nargs) {
  const std::size_t end = kBriefHeadBytes + nargs * sizeof(std::int32_t);
  return category == am::Category::kShort ? end : padded(end);
}

bool is_too_large(std::size_t payload_bytes, am::Category category, const am::Limits& limits) {
  if (category == am::Category::kShort) return payload_bytes != 0;
  return payload_bytes > (category == am::Category::kMedium ? limits.max_medium : limits.max_long);
}

}  // namespace

std::byte* encode_header(std::byte* to, AmKind kind, const am::Message& message, unsigned credits) {
  const AmHead head{Mark::of(kAmVersion, kind, message, credits),
                    static_cast<std::uint32_t>(message.payload_bytes),
                    reinterpret_cast<std::uint64_t>(message.destination)};
  std::memcpy(to, &head, sizeof head);
  return write_arguments(to + sizeof head, message);
}

std::byte* encode_brief(std::byte* to, AmKind kind, const am::Message& message, unsigned credits) {
  const Mark mark = Mark::of(kBriefVersion, kind, message, credits);
  std::byte* const end = to + brief_header_bytes(message.category, message.nargs);
  std::memset(end - sizeof(std::int32_t), 0, sizeof(std::int32_t));
  std::memcpy(to, &mark, sizeof mark);
  if (message.nargs != 0) std::memcpy(to + sizeof mark, message.args, message.nargs * sizeof(std::int32_t));
  return end;
}

bool is_brief(std::span<const std::byte> bytes) {
  return !bytes.empty() && static_cast<unsigned>(bytes[0]) >> 4 == kBriefVersion;
}

const char* decode_brief(std::span<const std::byte> bytes, const am::Limits& limits,
                         DecodedMessage* decoded) {
  Mark mark;
  if (bytes.size() < sizeof mark) return "it is shorter than its head";
  std::memcpy(&mark, bytes.data(), sizeof mark);
  if (const char* const why = mark.refuses(kBriefVersion)) return why;
  if (mark.category() == am::Category::kLong) return "a Long has no brief form";
  const std::size_t header = brief_header_bytes(mark.category(), mark.nargs);
  if (bytes.size() < header) return "it has not the size that its head says";
  if (is_too_large(bytes.size() - header, mark.category(), limits)) return "the payload is too large";
  mark.decode(bytes.data() + sizeof mark, bytes.size() - header, decoded);
  decoded->message.payload = bytes.data() + header;
  return nullptr;
}

const char* decode(std::span<const std::byte> header, std::size_t payload_bytes, const am::Limits& limits,
                   const am::SegmentBounds& segment, DecodedMessage* decoded) {
  AmHead head;
  if (header.size() < sizeof head) return "it is shorter than its head";
  std::memcpy(&head, header.data(), sizeof head);
  if (const char* const why = head.mark.refuses(kAmVersion)) return why;
  const bool is_long = head.mark.category() == am::Category::kLong;
  if (header.size() != header_bytes(head.mark.nargs) || payload_bytes != head.payload_bytes) {
    return "it has not the size that its head says";
  }
  if (is_too_large(payload_bytes, head.mark.category(), limits)) return "the payload is too large";
  if (is_long && payload_bytes != 0 && !segment.contains(head.destination, payload_bytes)) {
    return "the payload would lie outside the segment";
  }
  head.mark.decode(header.data() + sizeof head, payload_bytes, decoded);
  if (is_long) decoded->message.destination = reinterpret_cast<void*>(head.destination);
  return nullptr;
}

const char* decode_whole(std::span<const std::byte> bytes, const am::Limits& limits,
                         const am::SegmentBounds& segment, DecodedMessage* decoded) {
  const auto nargs = bytes.size() < kHeadBytes ? 0 : static_cast<unsigned>(bytes[offsetof(Mark, nargs)]);
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
  const std::size_t header = std::min(header_bytes(head.mark.nargs), bytes.size());
  const std::size_t room = bytes.size() - header;
  const bool fits = is_beside ? head.mark.category() == am::Category::kLong && room == 0
                              : room == padded(head.payload_bytes);
  if (!fits) return "it has not the size that its head says";
  const char* const why = decode(bytes.first(header), head.payload_bytes, limits, segment, decoded);
  if (!why && !is_beside) decoded->message.payload = bytes.data() + header;
  return why;
}

}  // namespace aqueduct::parts
