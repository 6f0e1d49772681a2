#include "fabric/udp/packet.hpp"

#include <utility>

namespace aqueduct::fabric::udp {
namespace {

constexpr std::uint8_t kControlGo = 1;

/// Takes numbers from bytes that others have written. What is not there is 0, and `is_good` false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class Number>
  Number take() {
    Number number = 0;
    if (left_.size() < sizeof number) {
      is_good_ = false;
      left_ = {};
      return 0;
    }
    std::memcpy(&number, left_.data(), sizeof number);
    left_ = left_.subspan(sizeof number);
    return number;
  }
  std::span<const std::byte> take_bytes(std::size_t bytes) {
    if (left_.size() < bytes) {
      is_good_ = false;
      left_ = {};
      return {};
    }
    const std::span<const std::byte> taken = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return taken;
  }
  bool is_good() const { return is_good_; }
  bool is_empty() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool is_good_ = true;
};

template <class Number>
std::byte* put(std::byte* to, Number number) {
  std::memcpy(to, &number, sizeof number);
  return to + sizeof number;
}

/// True if this is the first of its kind.
bool is_first(bool& seen) { return !std::exchange(seen, true); }

bool read_ack(ByteReader& reader, AckFrame* ack) {
  ack->runs = reader.take<std::uint8_t>();
  ack->delay = reader.take<std::uint16_t>();
  ack->flight_room = reader.take<std::uint32_t>();
  ack->largest = reader.take<std::uint64_t>();
  ack->message_room = reader.take<std::uint64_t>();
  if (ack->runs == 0 || ack->runs > AckFrame::kMostRuns) return false;
  std::uint64_t numbers = 0;
  for (unsigned i = 0; i < ack->runs; ++i) {
    AckRun& run = ack->run[i];
    run.gap = reader.take<std::uint16_t>();
    run.run = reader.take<std::uint16_t>();
    if (run.run == 0 || (run.gap == 0) != (i == 0)) return false;
    numbers += run.gap + run.run;
  }
  return numbers - 1 <= ack->largest;
}

bool read_stream(ByteReader& reader, StreamFrame* stream) {
  reader.take<std::uint8_t>();
  const auto bytes = reader.take<std::uint16_t>();
  stream->offset = reader.take<std::uint64_t>();
  stream->data = reader.take_bytes(bytes);
  return bytes != 0 && stream->offset + bytes > stream->offset;
}

bool read_bulk(ByteReader& reader, BulkFrame* bulk, bool* has_ping) {
  if (reader.take<std::uint8_t>() != 0) *has_ping = true;
  const auto bytes = reader.take<std::uint16_t>();
  bulk->transfer = reader.take<std::uint32_t>();
  bulk->offset = reader.take<std::uint64_t>();
  bulk->data = reader.take_bytes(bytes);
  return bytes != 0 && bulk->offset + bytes > bulk->offset;
}

bool read_part(ByteReader& reader, PartFrame* part, bool* has_ping) {
  const auto flags = reader.take<std::uint8_t>();
  if ((flags & 1) != 0) *has_ping = true;
  const auto bytes = reader.take<std::uint16_t>();
  part->transfer = reader.take<std::uint32_t>();
  part->offset = reader.take<std::uint64_t>();
  part->payload_bytes = reader.take<std::uint64_t>();
  part->place = {static_cast<Place::Kind>(flags >> 1 & 7), reader.take<std::uint64_t>()};
  part->header_bytes = reader.take<std::uint8_t>();
  part->padding = flags >> 4;
  reader.take_bytes(part->padding);
  part->data = reader.take_bytes(bytes);
  constexpr std::uint64_t kMostPayload = std::uint64_t{1} << 56;
  return bytes != 0 && part->place.kind <= Place::Kind::kBuffer && part->header_bytes <= kMaxHeader &&
         part->payload_bytes <= kMostPayload && part->offset <= part->whole_bytes() &&
         bytes <= part->whole_bytes() - part->offset;
}

}  // namespace

bool decode_head(std::span<const std::byte> datagram, PacketHead* head) {
  if (datagram.size() < kPacketHeadBytes) return false;
  std::memcpy(head, datagram.data(), kPacketHeadBytes);
  return true;
}

bool decode_frames(std::span<const std::byte> body, Frames* frames) {
  ByteReader reader(body);
  while (!reader.is_empty()) {
    bool is_good = false;
    switch (static_cast<FrameType>(reader.take<std::uint8_t>())) {
      case FrameType::kPadding:
        return true;
      case FrameType::kAck:
        is_good = is_first(frames->has_ack) && read_ack(reader, &frames->ack);
        break;
      case FrameType::kMessages:
        is_good = is_first(frames->has_messages) && read_stream(reader, &frames->messages);
        break;
      case FrameType::kControl:
        is_good = is_first(frames->has_control) && read_stream(reader, &frames->control);
        break;
      case FrameType::kBulk:
        is_good = is_first(frames->has_bulk) && read_bulk(reader, &frames->bulk, &frames->has_ping);
        break;
      case FrameType::kPart:
        is_good = is_first(frames->has_part) && read_part(reader, &frames->part, &frames->has_ping);
        break;
      case FrameType::kPing:
        is_good = is_first(frames->has_ping);
        break;
    }
    if (!is_good || !reader.is_good()) return false;
  }
  return true;
}

bool PartPattern::is_head_of(std::span<const std::byte> other, unsigned index) const {
  PacketHead theirs;
  if (other.size() < datagram.size() || !decode_head(other, &theirs)) return false;
  constexpr std::size_t kBeforeNumber = offsetof(PacketHead, number);
  return std::memcmp(other.data(), datagram.data(), kBeforeNumber) == 0 &&
         theirs.number == head.number + index;
}

bool PartPattern::is_beginning_of(std::span<const std::byte> other, unsigned index) const {
  const auto data_at = static_cast<std::size_t>(part.data.data() - datagram.data());
  const std::size_t offset_at = data_at - part.padding - PartFrame::kFixedBytes + PartFrame::kOffsetAt;
  const auto is_same = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(other.data() + begin, datagram.data() + begin, end - begin) == 0;
  };
  std::uint64_t offset = 0;
  std::memcpy(&offset, other.data() + offset_at, sizeof offset);
  return offset == part.offset + index * std::uint64_t{part.data.size()} &&
         offset + part.data.size() <= part.whole_bytes() && is_same(kPacketHeadBytes, offset_at) &&
         is_same(offset_at + sizeof offset, data_at);
}

void write_size(std::byte* datagram, std::size_t bytes) {
  put(datagram + offsetof(PacketHead, bytes), static_cast<std::uint16_t>(bytes));
}

std::byte* write_head(std::byte* to, const PacketHead& head) { return put(to, head); }

std::byte* write_ack(std::byte* to, const AckFrame& ack) {
  to = put(to, FrameType::kAck);
  to = put(to, ack.runs);
  to = put(to, ack.delay);
  to = put(to, ack.flight_room);
  to = put(to, ack.largest);
  to = put(to, ack.message_room);
  for (unsigned i = 0; i < ack.runs; ++i) to = put(put(to, ack.run[i].gap), ack.run[i].run);
  return to;
}

std::byte* write_stream(std::byte* to, FrameType stream, std::uint64_t offset, std::size_t bytes) {
  to = put(put(to, stream), std::uint8_t{0});
  return put(put(to, static_cast<std::uint16_t>(bytes)), offset);
}

std::byte* write_bulk(std::byte* to, std::uint32_t transfer, std::uint64_t offset, std::size_t bytes,
                      bool has_ping) {
  to = put(put(to, FrameType::kBulk), std::uint8_t{has_ping});
  return put(put(put(to, static_cast<std::uint16_t>(bytes)), transfer), offset);
}

std::byte* write_part(std::byte* to, const PartFrame& part, std::size_t bytes, bool has_ping,
                      std::size_t padding) {
  const unsigned flags = static_cast<unsigned>(padding) << 4 | static_cast<unsigned>(part.place.kind) << 1 |
                         (has_ping ? 1u : 0u);
  to = put(put(to, FrameType::kPart), static_cast<std::uint8_t>(flags));
  to = put(put(put(to, static_cast<std::uint16_t>(bytes)), part.transfer), part.offset);
  to = put(put(put(to, part.payload_bytes), part.place.at), part.header_bytes);
  std::memset(to, 0, padding);
  return to + padding;
}

std::byte* write_ping(std::byte* to) { return put(to, FrameType::kPing); }

Decoded decode_message(std::span<const std::byte> bytes, std::size_t inline_bytes, MessageRecord* record) {
  if (bytes.size() < MessageRecord::kInlineHeadBytes) return Decoded::kIncomplete;
  ByteReader reader(bytes);
  const auto kind = reader.take<std::uint8_t>();
  const auto header_bytes = reader.take<std::uint8_t>();
  reader.take<std::uint16_t>();
  const auto number = reader.take<std::uint32_t>();
  if (header_bytes > kMaxHeader) return Decoded::kMalformed;
  record->kind = static_cast<RecordKind>(kind);
  if (record->kind == RecordKind::kInline) {
    if (number > inline_bytes) return Decoded::kMalformed;
    record->payload_bytes = number;
    record->bytes = MessageRecord::kInlineHeadBytes + header_bytes + number;
    if (bytes.size() < record->bytes) return Decoded::kIncomplete;
    record->header = reader.take_bytes(header_bytes);
    record->payload = reader.take_bytes(number).data();
    return Decoded::kWhole;
  }
  if (record->kind != RecordKind::kLarge) return Decoded::kMalformed;
  record->transfer = number;
  record->bytes = MessageRecord::kLargeHeadBytes + header_bytes;
  if (bytes.size() < record->bytes) return Decoded::kIncomplete;
  record->payload_bytes = reader.take<std::uint64_t>();
  record->header = reader.take_bytes(header_bytes);
  record->payload = nullptr;
  return record->payload_bytes > inline_bytes ? Decoded::kWhole : Decoded::kMalformed;
}

Decoded decode_control(std::span<const std::byte> bytes, ControlRecord* record) {
  if (bytes.size() < ControlRecord::kBytes) return Decoded::kIncomplete;
  ByteReader reader(bytes);
  if (reader.take<std::uint8_t>() != kControlGo) return Decoded::kMalformed;
  reader.take<std::uint8_t>();
  reader.take<std::uint16_t>();
  record->transfer = reader.take<std::uint32_t>();
  record->keep_bytes = reader.take<std::uint64_t>();
  return Decoded::kWhole;
}

std::size_t write_inline_head(std::byte* to, std::size_t header_bytes, std::size_t payload_bytes) {
  to = put(put(to, RecordKind::kInline), static_cast<std::uint8_t>(header_bytes));
  put(put(to, std::uint16_t{0}), static_cast<std::uint32_t>(payload_bytes));
  return MessageRecord::kInlineHeadBytes;
}

std::size_t write_large_head(std::byte* to, std::size_t header_bytes, std::uint32_t transfer,
                             std::uint64_t payload_bytes) {
  to = put(put(to, RecordKind::kLarge), static_cast<std::uint8_t>(header_bytes));
  put(put(put(to, std::uint16_t{0}), transfer), payload_bytes);
  return MessageRecord::kLargeHeadBytes;
}

std::size_t write_control(std::byte* to, const ControlRecord& record) {
  to = put(put(put(to, kControlGo), std::uint8_t{0}), std::uint16_t{0});
  put(put(to, record.transfer), record.keep_bytes);
  return ControlRecord::kBytes;
}

}  // namespace aqueduct::fabric::udp
