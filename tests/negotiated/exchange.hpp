// Messages in two steps between a rank and its right neighbour, which checks what it gets.
#pragma once
#include <atomic>

#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {

enum class Buffer { kClient, kLibrary };

/// Fills the payload of `bytes` bytes into the buffer of a prepared message.
inline void fill_prepared(gex_AM_SrcDesc_t sd, std::size_t bytes, std::uint64_t key) {
  fill(gex_AM_SrcDescAddr(sd), bytes, key);
}

/// The least_payload that must be possible.
inline std::size_t largest_medium(Buffer buffer) {
  return gex_AM_MaxRequestMedium(
      job().tm, right(), nullptr,
      buffer == Buffer::kClient ? GEX_FLAG_AM_PREPARE_LEAST_CLIENT : GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 2);
}
inline std::size_t largest_long(Buffer buffer) {
  return gex_AM_MaxRequestLong(
      job().tm, right(), nullptr,
      buffer == Buffer::kClient ? GEX_FLAG_AM_PREPARE_LEAST_CLIENT : GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 2);
}

}  // namespace aqueduct::test
