// The header of every EXTOLL message.
//
// A header is valid only if its check value is right and it fits the message that it came with; the code that
// uses its other fields checks them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "papers/nic/extoll/device.hpp"

namespace aqueduct::extoll {

enum class MessageKind : std::uint8_t {
  kVelo = 1,
  kVeloCredit,   ///< `count` messages of the sender are in their mailbox
  kVeloRefused,  ///< one message came for a mailbox that does not exist
  kPut,
  kImmediate,
  kNotificationPut,
  kGet,
  kGetReply,
  kLock,
  kLockReply,
  kFailure,   ///< the failure of one of these, with its own header
  kNotified,  ///< notifications of `count` commands of the sender are in their queue
};
inline constexpr MessageKind kLastMessageKind = MessageKind::kNotified;

inline constexpr std::uint16_t kWireMagic = 0x7865;

struct WireHeader {
  std::uint16_t magic = kWireMagic;
  MessageKind kind = MessageKind::kVelo;
  std::uint8_t source_vpid = 0;
  std::uint32_t check = 0;
  std::uint8_t target_vpid = 0;
  std::uint8_t tag = 0;  ///< of a notification put: its class
  std::uint8_t mtt = 0;
  std::uint8_t notification = 0;  ///< of RMA: the units that notify
  std::uint32_t generation = 0;   ///< of the sending port; answers name it
  std::uint32_t count = 0;        ///< of credits; of a lock: unit in the highest byte, and number
  std::uint32_t bytes = 0;        ///< to move
  std::uint32_t command = 0;      ///< of RMA, as notifications have it
  std::uint32_t status = 0;       ///< of a failure: the unit
  std::uint64_t address = 0;      ///< NLA at the target
  std::uint64_t local = 0;        ///< NLA at the initiator
  std::uint64_t value =
      0;  ///< of immediate and notification puts; of a lock: compare and add, then its result
  std::uint64_t request = 0;  ///< at the initiator

  std::uint64_t payload_bytes() const {
    const bool has =
        kind == MessageKind::kVelo || kind == MessageKind::kPut || kind == MessageKind::kGetReply;
    return has ? bytes : 0;
  }
  /// To be called last.
  void seal() { check = compute_check(); }
  std::span<const std::byte> as_bytes() const { return std::as_bytes(std::span{this, 1}); }

  /// Null: not a header that could have been sent in front of such a message.
  static std::optional<WireHeader> read(const Incoming& incoming);
  /// Reads a header that this process has sealed itself.
  static std::optional<WireHeader> read_own(std::span<const std::byte> bytes);

 private:
  std::uint32_t compute_check() const;
};

static_assert(sizeof(WireHeader) == 64 && sizeof(WireHeader) <= fabric::kMaxHeader);
static_assert(std::is_trivially_copyable_v<WireHeader> &&
              std::has_unique_object_representations_v<WireHeader>);

/// For devices that treat messages differently. The header must have come from a device.
inline MessageKind kind_of(std::span<const std::byte> header) {
  return header.size() == sizeof(WireHeader) ? static_cast<MessageKind>(header[2]) : MessageKind::kFailure;
}

}  // namespace aqueduct::extoll
