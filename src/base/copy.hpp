// Copying a few hundred bytes.
#pragma once
#include <cstddef>
#include <cstring>

namespace aqueduct {

/// memcpy for small blocks, in line and in registers of 16 bytes: the call and the wide registers of the
/// library's cost more than they save below a kilobyte.
inline void copy_small(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kWord = 16;
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  if (bytes < kWord) {
    if (bytes >= 8) {
      std::memcpy(target, source, 8);
      std::memcpy(target + bytes - 8, source + bytes - 8, 8);
    } else if (bytes >= 4) {
      std::memcpy(target, source, 4);
      std::memcpy(target + bytes - 4, source + bytes - 4, 4);
    } else {
      for (std::size_t i = 0; i < bytes; ++i) target[i] = source[i];
    }
    return;
  }
  const std::size_t last = bytes - kWord;
  for (std::size_t at = 0; at < last; at += kWord) std::memcpy(target + at, source + at, kWord);
  std::memcpy(target + last, source + last, kWord);
}

}  // namespace aqueduct
