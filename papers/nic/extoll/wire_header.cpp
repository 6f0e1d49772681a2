#include "papers/nic/extoll/wire_header.hpp"

#include <array>
#include <cstring>

#include "papers/nic/header_check.hpp"
#include "rma2.h"
#include "velo2.h"

namespace aqueduct::extoll {
namespace {

/// Whether a card may have sent such a command.
bool is_command(const WireHeader& header) {
  if (header.notification > RMA2_ALL_NOTIFICATIONS || header.command >= RMA2_ANY || header.status > 7)
    return false;
  switch (header.kind) {
    case MessageKind::kPut:
    case MessageKind::kGet:
    case MessageKind::kGetReply:
      return header.bytes != 0 && header.bytes <= RMA2_MAX_SIZE;
    case MessageKind::kImmediate:
      return header.bytes != 0 && header.bytes <= sizeof(header.value);
    case MessageKind::kLock:
      return header.count >> 24 <= 1 && (header.count & 0xffffffu) < RMA2_LOCKS;
    default:
      return true;
  }
}

}  // namespace

std::uint32_t WireHeader::compute_check() const {
  constexpr std::uint64_t kVersion = 1;
  std::array<std::uint64_t, sizeof(WireHeader) / 8> words;
  std::memcpy(words.data(), this, sizeof(*this));
  words[0] &= 0xffffffffu;  // without the check itself
  return nic::header_check(words, kVersion);
}

std::optional<WireHeader> WireHeader::read_own(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(WireHeader)) return std::nullopt;
  WireHeader header;
  std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof(header));
  if (header.magic != kWireMagic || header.check != header.compute_check()) return std::nullopt;
  if (header.kind < MessageKind::kVelo || header.kind > kLastMessageKind) return std::nullopt;
  return header;
}

std::optional<WireHeader> WireHeader::read(const Incoming& incoming) {
  const std::optional<WireHeader> header = read_own(incoming.header);
  if (!header || header->payload_bytes() != incoming.payload_bytes) return std::nullopt;
  if (header->kind == MessageKind::kVelo &&
      (header->bytes > VELO2_MAX_MSG_SIZE || header->mtt > VELO2_MAX_MTT))
    return std::nullopt;
  if (header->kind > MessageKind::kVeloRefused && !is_command(*header)) return std::nullopt;
  return header;
}

}  // namespace aqueduct::extoll
