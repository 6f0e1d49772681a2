// Copying pieces: of a size that only the program knows, and of whole strided shapes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "aqueduct/detail/world_view.h"
#include "extended/vis/strided.hpp"

namespace aqueduct::extended::vis {

/// The largest piece for which a call of memcpy costs more than it is worth.
inline constexpr std::size_t kMostSmallBytes = 128;

/// Moves between one and two times as many bytes as `Words` words of type Word have: the first and the last,
/// which may overlap. All are read before any is written.
template <class Word, std::size_t Words = 1>
[[gnu::always_inline]] inline void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kHalf = Words * sizeof(Word);
  Word first[Words], last[Words];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < Words; ++i) {
    std::memcpy(&first[i], from + i * sizeof(Word), sizeof(Word));
    std::memcpy(&last[i], from + bytes - kHalf + i * sizeof(Word), sizeof(Word));
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < Words; ++i) {
    std::memcpy(to + i * sizeof(Word), &first[i], sizeof(Word));
    std::memcpy(to + bytes - kHalf + i * sizeof(Word), &last[i], sizeof(Word));
  }
}

/// memcpy for sizes that are mostly small: a call costs more than moving a few words.
[[gnu::always_inline]] inline void copy_piece(void* to, const void* from, std::size_t bytes) {
  typedef std::uint64_t Wide __attribute__((vector_size(16)));
  auto* destination = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes > kMostSmallBytes) {
    std::memcpy(to, from, bytes);
  } else if (bytes > 64) {
    copy_ends<Wide, 4>(destination, source, bytes);
  } else if (bytes > 32) {
    copy_ends<Wide, 2>(destination, source, bytes);
  } else if (bytes >= 16) {
    copy_ends<Wide>(destination, source, bytes);
  } else if (bytes >= 8) {
    copy_ends<std::uint64_t>(destination, source, bytes);
  } else if (bytes >= 4) {
    copy_ends<std::uint32_t>(destination, source, bytes);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) destination[i] = source[i];
  }
}

/// What the compiler is told of the size of many pieces: the size itself, or whether a few instructions can
/// move them.
enum class SizeClass : std::size_t {};
inline constexpr SizeClass kSmall{0}, kLarge{~std::size_t{0}};
constexpr bool is_known(SizeClass size) { return size != kSmall && size != kLarge; }

template <SizeClass kSize>
[[gnu::always_inline]] inline void copy_element(std::byte* to, const std::byte* from, std::size_t bytes) {
  if constexpr (kSize == kSmall) {
    copy_piece(to, from, bytes);
  } else if constexpr (kSize == kLarge) {
    aq_world_.copy_(to, from, bytes);
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(kSize));
  }
}

/// A piece of which there is no other.
[[gnu::always_inline]] inline void copy_one(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes <= kMostSmallBytes) {
    copy_piece(to, from, bytes);
  } else {
    aq_world_.copy_(to, from, bytes);
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

/// Elements at regular distances.
struct Row {
  std::size_t count = 1;
  std::ptrdiff_t to_stride = 0, from_stride = 0;
};

/// Copies such elements of `element` bytes within this process's memory. So few arguments that all fit into
/// registers.
void copy_row(std::byte* to, const std::byte* from, std::size_t element, std::size_t count,
              std::ptrdiff_t to_stride, std::ptrdiff_t from_stride);

/// Copies a whole shape within this process's memory.
void copy_strided(const StridedShape<2>& shape, std::byte* to, const std::byte* from);

}  // namespace aqueduct::extended::vis
