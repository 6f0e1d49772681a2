// A check value over the words of a message header, which finds damaged or foreign bytes. It is not a
// signature.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace aqueduct::nic {

inline std::uint32_t header_check(std::span<const std::uint64_t> words, std::uint64_t version) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t even = version, odd = kOdd;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    even = (even ^ words[i]) * kOdd;
    odd = (odd ^ words[i + 1]) * kOdd;
    even ^= even >> 29;
    odd ^= odd >> 31;
  }
  even = (even ^ words.back() ^ (odd << 1 | odd >> 63)) * kOdd;
  return static_cast<std::uint32_t>(even >> 32);
}

}  // namespace aqueduct::nic
