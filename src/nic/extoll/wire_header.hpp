// What travels in front of every message of EXTOLL.
//
// A header is believed only if its check value is right and it fits the message that it came with; everything
// else it says is checked where it is used.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "nic/extoll/device.hpp"

namespace aqueduct::extoll {

enum class MessageKind : std::uint8_t {
  kVelo = 1,
  kVeloCredit,   ///< `count` messages of the sender are in their mailbox
  kVeloRefused,  ///< one message came to a mailbox that is not there
};
inline constexpr MessageKind kLastMessageKind = MessageKind::kVeloRefused;

inline constexpr std::uint16_t kWireMagic = 0x7865;

struct WireHeader {
  std::uint16_t magic = kWireMagic;
  MessageKind kind = MessageKind::kVelo;
  std::uint8_t source_vpid = 0;
  std::uint32_t check = 0;
  std::uint8_t target_vpid = 0;
  std::uint8_t tag = 0;
  std::uint8_t mtt = 0;
  std::uint8_t unused = 0;
  std::uint32_t generation = 0;  ///< of the sending port; what goes back names it
  std::uint32_t count = 0;       ///< of credits
  std::uint32_t bytes = 0;       ///< of payload

  std::uint64_t payload_bytes() const { return kind == MessageKind::kVelo ? bytes : 0; }
  /// To be called last.
  void seal() { check = compute_check(); }
  std::span<const std::byte> as_bytes() const { return std::as_bytes(std::span{this, 1}); }

  /// Null: not a header that could have been sent in front of such a message.
  static std::optional<WireHeader> read(const Incoming& incoming);
  /// A header that we sealed ourselves.
  static std::optional<WireHeader> read_own(std::span<const std::byte> bytes);

 private:
  std::uint32_t compute_check() const;
};

static_assert(sizeof(WireHeader) == 24 && sizeof(WireHeader) <= fabric::kMaxHeader);
static_assert(std::is_trivially_copyable_v<WireHeader> &&
              std::has_unique_object_representations_v<WireHeader>);

}  // namespace aqueduct::extoll
