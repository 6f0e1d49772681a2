// The few types every layer shares.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct {

/// A process's place in the job, 0 .. size-1. Also used for sizes of sets of ranks.
using RankId = std::uint32_t;
inline constexpr RankId kNoRank = ~RankId{0};

/// The unit in which cores exchange memory; everything two processes share is laid out in multiples of it.
inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kPage = 4096;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace aqueduct
