// What stands before the head of every message (parts/am_codec.hpp): who sends it, and how a long payload
// comes. Or that it is no active message (small_transfers.hpp).
#pragma once
#include "parts/am_codec.hpp"

namespace aqueduct::conduit::ofi {

struct Prefix {
  std::uint32_t source = 0;
  std::uint16_t tag = 0;     ///< of a long message whose pieces are counted
  std::uint16_t pieces = 0;  ///< their number; kArrived: the payload is there; or one of the others
  static constexpr std::uint16_t kArrived = 0xFFFF;
  // Then the tag is the bytes of a put or get, or the puts that are answered.
  static constexpr std::uint16_t kPut = 0xFFFE;
  static constexpr std::uint16_t kGet = 0xFFFD;
  static constexpr std::uint16_t kAnswer = 0xFFFC;

  bool is_small_transfer() const { return pieces >= kAnswer && pieces != kArrived; }
};
static_assert(sizeof(Prefix) == 8);

inline constexpr std::size_t kMostPrefixBytes = sizeof(Prefix) + parts::kMostHeaderBytes;

}  // namespace aqueduct::conduit::ofi
