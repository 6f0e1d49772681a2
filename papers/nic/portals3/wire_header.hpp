// The header of every Portals message.
//
// Requests (put, get, getput) name a portal table index and match bits, and the descriptor at home that the
// acknowledgement or reply is for; acknowledgements and replies carry that name back, with all 32 bits of its
// generation, so that they are never taken for those of a later descriptor. A header is valid only if its
// check value is right and its fields agree with each other and with the message that it came with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

inline constexpr std::uint16_t kWireMagic = 0x3370;
inline constexpr std::uint8_t kWireVersion = 1;
/// The most that a getput swaps, in any implementation of this version.
inline constexpr std::size_t kMaxSwap = 64;

struct WireHeader {
  std::uint16_t magic = kWireMagic;
  std::uint8_t version = kWireVersion;
  MessageKind kind = MessageKind::kPut;
  std::uint32_t check = 0;
  ptl_process_id_t source{};
  ptl_process_id_t target{};
  ptl_uid_t uid = 0;
  ptl_jid_t jid = 0;
  ptl_pt_index_t pt_index = 0;
  ptl_ac_index_t ac_index = 0;
  ptl_match_bits_t match_bits = 0;
  std::uint64_t requested = 0;      ///< bytes asked for
  std::uint64_t matched = 0;        ///< acknowledgements and replies: bytes that were accepted
  std::uint64_t remote_offset = 0;  ///< as the initiator gave it; in answers: as the target used it
  std::uint64_t local_offset = 0;   ///< in the initiator's descriptor
  ptl_hdr_data_t hdr_data = 0;
  ptl_handle_md_t descriptor = 0;  ///< the initiator's, for the answer
  std::uint32_t generation = 0;
  std::uint32_t ack_wanted = 0;
  std::uint32_t ticket = 0;  ///< of the initiator's expectation of an answer; 0: it expects none

  /// The bytes that follow the header.
  std::uint64_t payload_bytes() const;
  /// To be called last.
  void seal();
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span{this, 1}); }

  /// Null: not a header that this version could have sent in front of such a message.
  static std::optional<WireHeader> read(const Incoming& incoming, NodeId self);
  /// Reads a header that this process has sealed itself.
  static std::optional<WireHeader> read_own(std::span<const std::byte> bytes);

 private:
  std::uint32_t compute_check() const;
};

static_assert(sizeof(WireHeader) == 104 && sizeof(WireHeader) <= fabric::kMaxHeader);
static_assert(std::is_trivially_copyable_v<WireHeader> &&
              std::has_unique_object_representations_v<WireHeader>);

}  // namespace aqueduct::portals3
