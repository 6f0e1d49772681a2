// The layout of a handle's 64 bits. No pointer has such bits.
//
//   63..60 a mark | 59..56 kind | 55..40 process | 39..20 generation | 19..0 index
//
// The index names a slot of the process's table of that kind, the generation the life of the slot. In a
// simulation many processes share an address space; each refuses the handles of others. `Kind` is an enum of
// the library, whose values are from 1 to 15.
#pragma once
#include <cstdint>

#include "papers/nic/table.hpp"

namespace aqueduct::nic {

inline constexpr std::uint64_t kHandleMark = 0xa;
inline constexpr std::uint32_t kMaxHandleIndex = (1u << 20) - 1;
inline constexpr std::uint32_t kHandleGenerationMask = (1u << 20) - 1;
inline constexpr std::uint32_t kHandleProcessMask = (1u << 16) - 1;

template <class Kind>
std::uint64_t handle_bits(Kind kind, std::uint32_t process, const TableSlot& slot) {
  return kHandleMark << 60 | static_cast<std::uint64_t>(kind) << 56 |
         static_cast<std::uint64_t>(process & kHandleProcessMask) << 40 |
         static_cast<std::uint64_t>(slot.generation & kHandleGenerationMask) << 20 | slot.index;
}

/// The object of this process that a handle names; null if there is none.
template <class Object, std::uint32_t kMaxIndex, class Kind>
Object* find_by_bits(Table<Object, kMaxIndex, kHandleGenerationMask>& table, Kind kind, std::uint32_t process,
                     std::uint64_t bits) {
  const std::uint64_t expected = kHandleMark << 20 | static_cast<std::uint64_t>(kind) << 16 |
                                 static_cast<std::uint64_t>(process & kHandleProcessMask);
  if (bits >> 40 != expected) return nullptr;
  return table.find(bits & kMaxHandleIndex, bits >> 20 & kHandleGenerationMask);
}

}  // namespace aqueduct::nic
