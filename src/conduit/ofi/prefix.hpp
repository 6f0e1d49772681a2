// What stands before the head of every message (parts/am_codec.hpp): who sends it, and how a long payload
// comes.
#pragma once
#include "parts/am_codec.hpp"

namespace aqueduct::conduit::ofi {

struct Prefix {
  std::uint32_t source = 0;
  std::uint16_t tag = 0;     ///< of a long message whose pieces are counted
  std::uint16_t pieces = 0;  ///< their number; kArrived: the payload is there
  static constexpr std::uint16_t kArrived = 0xFFFF;
};
static_assert(sizeof(Prefix) == 8);

inline constexpr std::size_t kMostPrefixBytes = sizeof(Prefix) + parts::kMostHeaderBytes;

}  // namespace aqueduct::conduit::ofi
