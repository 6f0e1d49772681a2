// The header of every uGNI message.
//
// Requests (put, get, AMO, CQ write) carry the value of the target's memory handle and the name of the
// request at home; responses carry that name back, with all 32 bits of its generation, so that they are never
// taken for those of a later one. A header is valid only if its check value is right and it fits the message
// that it came with; the code that uses its other fields checks them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "gni_types.h"
#include "papers/nic/ugni/device.hpp"

namespace aqueduct::ugni {

inline constexpr std::uint16_t kWireMagic = 0x6e67;

enum WireFlags : std::uint8_t {
  kWantsResponse = 1,
  kWantsEvent = 2,         ///< in the queue of the registration; an error if it has none
  kWantsEventIfQueue = 4,  ///< the same, but no error
  kHasSyncFlag = 8,        ///< first_operand is its address, second_operand its value
  kInOrder = 16,
  kRemoteOverrun = 32,  ///< of a response: the queue at the target was full
};

struct WireHeader {
  std::uint16_t magic = kWireMagic;
  MessageKind kind = MessageKind::kPut;
  std::uint8_t flags = 0;
  std::uint32_t check = 0;
  std::uint32_t event_data = 0;
  std::uint8_t status = 0;      ///< of responses: AQ_GNI_STATUS_...
  std::uint8_t event_type = 0;  ///< of the event at the target: GNI_CQ_EVENT_TYPE_...
  std::uint16_t command = 0;    ///< of an AMO; of others the tag of a message
  std::uint64_t request = 0;    ///< at the initiator; 0: none
  gni_mem_handle_t memory{};    ///< at the target
  std::uint64_t address = 0;    ///< likewise
  std::uint64_t bytes = 0;      ///< to move
  std::uint64_t first = 0;      ///< operands, sync flag, CQ write, the result of an AMO, instance ids
  std::uint64_t second = 0;
  std::uint32_t cookie = 0;  ///< of the communication domain, with its tag
  std::uint32_t ptag = 0;

  std::uint64_t payload_bytes() const;
  /// To be called last.
  void seal();
  std::span<const std::byte> as_bytes() const { return std::as_bytes(std::span{this, 1}); }

  /// Null: not a header that could have been sent in front of such a message.
  static std::optional<WireHeader> read(const Incoming& incoming);
  /// Reads a header that this process has sealed itself.
  static std::optional<WireHeader> read_own(std::span<const std::byte> bytes);

 private:
  std::uint32_t compute_check() const;
};

static_assert(sizeof(WireHeader) == 80 && sizeof(WireHeader) <= fabric::kMaxHeader);
static_assert(std::is_trivially_copyable_v<WireHeader> &&
              std::has_unique_object_representations_v<WireHeader>);

/// For devices that treat messages differently. The header must have come from a device.
inline MessageKind kind_of(std::span<const std::byte> header) {
  return header.size() == sizeof(WireHeader) ? static_cast<MessageKind>(header[2]) : MessageKind::kResponse;
}

}  // namespace aqueduct::ugni
