// Copying pieces: of a size that only the program knows, and of whole strided shapes.
#pragma once
#include <algorithm>
#include <cstring>

#include "extended/vis/strided.hpp"

namespace aqueduct::extended::vis {

/// The largest piece for which a call of memcpy costs more than it is worth.
inline constexpr std::size_t kMostSmallBytes = 32;

/// memcpy for sizes that are mostly small: a call costs more than moving a few words.
[[gnu::always_inline]] inline void copy_piece(void* to, const void* from, std::size_t bytes) {
  // The ends of the piece, moved by two moves of a fixed size that may overlap; both are read before either
  // is written.
  const auto by_ends = [&]<std::size_t Half>() {
    std::byte first[Half], last[Half];
    auto* destination = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    std::memcpy(first, source, Half);
    std::memcpy(last, source + bytes - Half, Half);
    std::memcpy(destination, first, Half);
    std::memcpy(destination + bytes - Half, last, Half);
  };
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes > kMostSmallBytes) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= 16) {
    by_ends.operator()<16>();
  } else if (bytes >= 8) {
    by_ends.operator()<8>();
  } else if (bytes >= 4) {
    by_ends.operator()<4>();
  } else {
    auto* destination = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    for (std::size_t i = 0; i < bytes; ++i) destination[i] = source[i];
  }
}

/// Moves the next `bytes` bytes of a walk to a buffer, or from there.
template <class Walk>
void pack(Walk& walk, std::byte* buffer, std::size_t bytes) {
  while (bytes != 0) {
    const std::size_t piece = std::min(walk.piece().bytes, bytes);
    copy_piece(buffer, walk.piece().address, piece);
    walk.advance(piece);
    buffer += piece;
    bytes -= piece;
  }
}
template <class Walk>
void unpack(Walk& walk, const std::byte* buffer, std::size_t bytes) {
  while (bytes != 0) {
    const std::size_t piece = std::min(walk.piece().bytes, bytes);
    copy_piece(walk.piece().address, buffer, piece);
    walk.advance(piece);
    buffer += piece;
    bytes -= piece;
  }
}

inline constexpr unsigned kTo = 0, kFrom = 1;  ///< the sides of a copy

/// Copies a whole shape within this process's memory.
void copy_strided(const StridedShape<2>& shape, std::byte* to, const std::byte* from);

}  // namespace aqueduct::extended::vis
