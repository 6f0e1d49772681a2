// Payloads that say who they are: the bytes follow from a key, so a receiver can check all of them without a
// copy.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/random.hpp"

namespace aqueduct::test {

inline void fill(void* to, std::size_t bytes, std::uint64_t key) {
  auto* out = static_cast<unsigned char*>(to);
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = mix(key + at);
    std::memcpy(out + at, &word, bytes - at < 8 ? bytes - at : 8);
  }
}

/// True if `bytes` bytes at `from` are what fill() writes for `key`; otherwise says where they first differ.
inline ::testing::AssertionResult holds(const void* from, std::size_t bytes, std::uint64_t key) {
  const auto* in = static_cast<const unsigned char*>(from);
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = mix(key + at);
    const std::size_t piece = bytes - at < 8 ? bytes - at : 8;
    if (std::memcmp(in + at, &word, piece) != 0)
      return ::testing::AssertionFailure() << "differs from its pattern near byte " << at << " of " << bytes;
  }
  return ::testing::AssertionSuccess();
}

inline std::vector<unsigned char> patterned(std::size_t bytes, std::uint64_t key) {
  std::vector<unsigned char> buffer(bytes);
  fill(buffer.data(), bytes, key);
  return buffer;
}

/// True if every byte is `value`; guards around a transfer are checked with it.
inline ::testing::AssertionResult all_bytes_are(const void* from, std::size_t bytes, unsigned char value) {
  const auto* in = static_cast<const unsigned char*>(from);
  for (std::size_t at = 0; at < bytes; ++at)
    if (in[at] != value)
      return ::testing::AssertionFailure() << "guard byte " << at << " of " << bytes << " was overwritten";
  return ::testing::AssertionSuccess();
}

}  // namespace aqueduct::test
