// The handles of uGNI: pointers whose bits are those of nic/handle.hpp.
#pragma once
#include <cstdint>

#include "gni_types.h"
#include "papers/nic/handle.hpp"

namespace aqueduct::ugni {

enum class HandleKind : std::uint64_t { kDomain = 1, kNic, kEndpoint, kQueue, kMessageQueue };

using nic::TableSlot;
template <class Object>
using Table = nic::Table<Object, nic::kMaxHandleIndex, nic::kHandleGenerationMask>;

/// `Pointer` is one of the handle types.
template <class Pointer>
Pointer make_handle(HandleKind kind, std::uint32_t process, const TableSlot& slot) {
  return reinterpret_cast<Pointer>(nic::handle_bits(kind, process, slot));
}

/// The object of this process that a handle names; null if there is none.
template <class Object>
Object* find_by_handle(Table<Object>& table, HandleKind kind, std::uint32_t process, const void* handle) {
  return nic::find_by_bits(table, kind, process, reinterpret_cast<std::uint64_t>(handle));
}

}  // namespace aqueduct::ugni
