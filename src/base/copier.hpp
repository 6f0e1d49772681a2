// How this processor copies a few kilobytes fastest.
#pragma once
#include <cstddef>

namespace aqueduct {

struct Copier {
  /// Copies more than 64 bytes like memcpy; fewer are allowed.
  void* (*copy)(void* to, const void* from, std::size_t bytes);
  /// Up to this size code in line may use the vectors of AVX-512VL: 256, or 0.
  std::size_t vector_bytes;
};

/// memcpy without vectors, or, on processors with AVX-512 that do not become slower by it (those with VBMI2),
/// a copy by registers of 64 bytes up to 8 KiB. That is as fast as the first-level cache: memcpy aims at any
/// size, and takes 1.7 times as long for 4 and 8 KiB on a Zen 5.
Copier best_copier();

}  // namespace aqueduct
