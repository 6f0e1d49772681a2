// What the 64 bits of a handle say. They are no address: no pointer has these bits.
//
//   63..60 a mark | 59..56 kind | 55..40 process | 39..20 generation | 19..0 index
//
// The index names a slot of the process's table of that kind, the generation the life of the slot. In a
// simulation many processes share an address space; each refuses the handles of others.
#pragma once
#include <cstdint>

#include "aqueduct/gni_types.h"
#include "nic/table.hpp"

namespace aqueduct::ugni {

enum class Kind : std::uint64_t { kDomain = 1, kNic, kEndpoint, kQueue, kMessageQueue };

inline constexpr std::uint64_t kHandleMark = 0xa;
inline constexpr std::uint32_t kMaxIndex = (1u << 20) - 1;
inline constexpr std::uint32_t kGenerationMask = (1u << 20) - 1;
inline constexpr std::uint32_t kProcessMask = (1u << 16) - 1;

using nic::TableSlot;
template <class Object>
using Table = nic::Table<Object, kMaxIndex, kGenerationMask>;

/// `Pointer` is one of the handle types.
template <class Pointer>
Pointer make_handle(Kind kind, std::uint32_t process, const TableSlot& slot) {
  const std::uint64_t bits = kHandleMark << 60 | static_cast<std::uint64_t>(kind) << 56 |
                             static_cast<std::uint64_t>(process & kProcessMask) << 40 |
                             static_cast<std::uint64_t>(slot.generation & kGenerationMask) << 20 | slot.index;
  return reinterpret_cast<Pointer>(bits);
}

/// The object of this process that a handle names; null if there is none.
template <class Object>
Object* find_by_handle(Table<Object>& table, Kind kind, std::uint32_t process, const void* handle) {
  const auto bits = reinterpret_cast<std::uint64_t>(handle);
  const std::uint64_t expected = kHandleMark << 20 | static_cast<std::uint64_t>(kind) << 16 |
                                 static_cast<std::uint64_t>(process & kProcessMask);
  if (bits >> 40 != expected) return nullptr;
  return table.find(bits & kMaxIndex, bits >> 20 & kGenerationMask);
}

}  // namespace aqueduct::ugni
