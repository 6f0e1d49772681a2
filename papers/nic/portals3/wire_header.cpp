#include "papers/nic/portals3/wire_header.hpp"

#include <array>
#include <cstring>

#include "papers/nic/header_check.hpp"

namespace aqueduct::portals3 {

std::uint64_t WireHeader::payload_bytes() const {
  switch (kind) {
    case MessageKind::kPut:
    case MessageKind::kGetPut:
      return requested;
    case MessageKind::kReply:
      return matched;
    case MessageKind::kGet:
    case MessageKind::kAck:
      break;
  }
  return 0;
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
  if (header.magic != kWireMagic || header.version != kWireVersion) return std::nullopt;
  if (header.kind < MessageKind::kPut || header.kind > MessageKind::kAck) return std::nullopt;
  if (header.check != header.compute_check()) return std::nullopt;
  return header;
}

std::optional<WireHeader> WireHeader::read(const Incoming& incoming, NodeId self) {
  const std::optional<WireHeader> header = read_own(incoming.header);
  if (!header) return std::nullopt;
  if (header->source.nid != incoming.source || header->target.nid != self) return std::nullopt;
  if (header->payload_bytes() != incoming.payload_bytes) return std::nullopt;
  if (header->requested > PTL_MAX_TRANS_SZ || header->matched > header->requested) return std::nullopt;
  if (header->kind == MessageKind::kGetPut && header->requested > kMaxSwap) return std::nullopt;
  return header;
}

}  // namespace aqueduct::portals3
