#include "papers/nic/ugni/wire_header.hpp"

#include <array>
#include <cstring>

#include "papers/nic/header_check.hpp"

namespace aqueduct::ugni {
namespace {

constexpr std::uint64_t kWireVersion = 1;
/// No post moves more; a header that claims more is invalid.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

}  // namespace

std::uint64_t WireHeader::payload_bytes() const {
  switch (kind) {
    case MessageKind::kPut:
    case MessageKind::kDatagram:
    case MessageKind::kMsgq:
      return bytes;
    case MessageKind::kGetReply:
      return status == 0 ? bytes : 0;
    default:
      return 0;
  }
}

std::uint32_t WireHeader::compute_check() const {
  std::array<std::uint64_t, sizeof(WireHeader) / 8> words;
  std::memcpy(words.data(), this, sizeof(*this));
  words[0] &= 0xffffffffu;  // without the check itself
  return nic::header_check(words, kWireVersion);
}

void WireHeader::seal() { check = compute_check(); }

std::optional<WireHeader> WireHeader::read_own(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(WireHeader)) return std::nullopt;
  WireHeader header;
  std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof(header));
  if (header.magic != kWireMagic || header.check != header.compute_check()) return std::nullopt;
  if (header.kind < MessageKind::kPut || header.kind > kLastMessageKind) return std::nullopt;
  return header;
}

std::optional<WireHeader> WireHeader::read(const Incoming& incoming) {
  const std::optional<WireHeader> header = read_own(incoming.header);
  if (!header || header->bytes > kMostBytes) return std::nullopt;
  if (header->payload_bytes() != incoming.payload_bytes) return std::nullopt;
  return header;
}

}  // namespace aqueduct::ugni
