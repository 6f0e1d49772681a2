#include "base/copier.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>

#define AQUEDUCT_WIDE_COPY 1
#endif

namespace aqueduct {

#ifdef AQUEDUCT_WIDE_COPY
namespace {

constexpr std::size_t kMostBytes = 8192;  // both buffers are then in a first-level cache of 32 KiB
// The same where each load crosses lines because the buffers lie differently in theirs.
constexpr std::size_t kMostCrossingBytes = 2048;

#define AQUEDUCT_TARGET [[gnu::target("avx512f,avx512vl"), gnu::always_inline]]

/// One register's worth.
AQUEDUCT_TARGET inline void copy_32(std::byte* to, const std::byte* from) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
AQUEDUCT_TARGET inline void copy_64(std::byte* to, const std::byte* from) {
  _mm512_storeu_si512(to, _mm512_loadu_si512(from));
}
template <int kRegisters>
AQUEDUCT_TARGET inline void copy_several_64(std::byte* to, const std::byte* from) {
#pragma GCC unroll 4
  for (int i = 0; i < kRegisters; ++i) copy_64(to + i * 64, from + i * 64);
}

// Each register is stored before the next one is loaded. Where both buffers begin with a page, the loads of a
// copy wait for the stores of the one before, and stores leave the processor in the order of the program: if
// all were loaded first, the first store of a copy would wait for the last one of the copy before.
[[gnu::target("avx512f,avx512vl"), gnu::aligned(64)]] void* copy_wide(void* to, const void* from,
                                                                      std::size_t bytes) {
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  if (bytes <= 512) {
    if (bytes > 256) {
      copy_several_64<4>(target, source);
      copy_several_64<4>(target + bytes - 256, source + bytes - 256);
    } else if (bytes > 128) {
      copy_several_64<2>(target, source);
      copy_several_64<2>(target + bytes - 128, source + bytes - 128);
    } else if (bytes >= 64) {
      copy_32(target, source);
      copy_32(target + 32, source + 32);
      copy_32(target + bytes - 64, source + bytes - 64);
      copy_32(target + bytes - 32, source + bytes - 32);
    } else {
      return std::memcpy(to, from, bytes);
    }
    return to;
  }
  const bool crosses =
      ((reinterpret_cast<std::uintptr_t>(to) ^ reinterpret_cast<std::uintptr_t>(from)) & 63) != 0;
  if (bytes > (crosses ? kMostCrossingBytes : kMostBytes)) return std::memcpy(to, from, bytes);
  // Whole lines of the target, but for its beginning, if that is within one, and the last 256 bytes, which
  // overlap them.
  const std::size_t lead = -reinterpret_cast<std::uintptr_t>(to) & 63;
  if (lead != 0) copy_64(target, source);
  std::byte* line = target + lead;
  const std::byte* line_source = source + lead;
  std::byte* const end = target + bytes - 256;
  for (; line < end; line += 256, line_source += 256) copy_several_64<4>(line, line_source);
  copy_several_64<4>(end, source + bytes - 256);
  return to;
}

}  // namespace

Copier best_copier() {
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2")) return {copy_wide, 256};
  return {std::memcpy, 0};
}

#undef AQUEDUCT_TARGET
#undef AQUEDUCT_WIDE_COPY
#else
Copier best_copier() { return {std::memcpy, 0}; }
#endif

}  // namespace aqueduct
