// The layout of a handle's 32 bits.
//
//   31..30 kind | 29..27 interface of the process | 26..14 generation | 13..0 index
//
// The index names a slot of the interface's table of that kind, the generation the life of the slot: a handle
// to a destroyed object differs from every handle to later objects in the same slot, until the generation
// wraps. The three constants of the interface (none, no queue, invalid) have all bits below the kind set,
// which no handle has, because interface 7 does not exist.
#pragma once
#include <cstdint>

#include "papers/nic/table.hpp"
#include "portals3_types.h"

namespace aqueduct::portals3 {

enum class HandleKind : std::uint32_t { kInterface = 0, kEntry = 1, kQueue = 2, kDescriptor = 3 };

inline constexpr unsigned kIndexBits = 14;
inline constexpr unsigned kGenerationBits = 13;
inline constexpr unsigned kInterfaceBits = 3;
inline constexpr std::uint32_t kMaxIndex = (1u << kIndexBits) - 1;
inline constexpr std::uint32_t kGenerationMask = (1u << kGenerationBits) - 1;
inline constexpr std::uint32_t kNoInterface = (1u << kInterfaceBits) - 1;
static_assert(kIndexBits + kGenerationBits + kInterfaceBits + 2 == 32);

struct Handle {
  HandleKind kind;
  std::uint32_t interface;
  std::uint32_t generation;
  std::uint32_t index;

  constexpr ptl_handle_any_t encode() const {
    return static_cast<std::uint32_t>(kind) << 30 | interface << (kIndexBits + kGenerationBits) |
           (generation & kGenerationMask) << kIndexBits | index;
  }
  static constexpr Handle decode(ptl_handle_any_t bits) {
    return {static_cast<HandleKind>(bits >> 30), bits >> (kIndexBits + kGenerationBits) & kNoInterface,
            bits >> kIndexBits & kGenerationMask, bits & kMaxIndex};
  }
};

using nic::TableSlot;
template <class Object>
using Table = nic::Table<Object, kMaxIndex, kGenerationMask>;

}  // namespace aqueduct::portals3
