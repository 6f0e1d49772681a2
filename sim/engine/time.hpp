// Virtual time, and the time that bytes take. All are integers, so that a simulation has the same result
// everywhere.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::sim {

/// Picoseconds, as a point in virtual time or a span of it. Sixty-four bits hold 213 days.
using Time = std::uint64_t;

inline constexpr Time kNanosecond = 1000;
inline constexpr Time kMicrosecond = 1000 * kNanosecond;
inline constexpr Time kMillisecond = 1000 * kMicrosecond;
inline constexpr Time kSecond = 1000 * kMillisecond;
inline constexpr Time kNever = ~Time{0};

/// The time of a byte in femtoseconds, which is fine enough for any bandwidth (2.5 GB/s is 400,000).
struct Rate {
  std::uint64_t fs_per_byte = 0;

  Time of(std::size_t bytes) const { return (bytes * fs_per_byte + 999) / 1000; }
};

}  // namespace aqueduct::sim
