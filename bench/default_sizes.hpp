// The default repetitions and sizes of benchmarks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "parameters.hpp"

namespace aqueduct::bench {

/// Enough batches for a steady median; a row takes about 30 ms of measuring.
inline constexpr unsigned kBatches = 41;

using Sizes = std::vector<std::size_t>;

inline Sizes no_sizes(const Parameters&) { return {8}; }

inline Sizes message_sizes(const Parameters& parameters) {
  if (parameters.kind == "medium") return {8, 64, 512};
  if (parameters.kind == "long") return {8, 512, 4 * kKiB, 64 * kKiB};
  if (parameters.kind == "echo") return {512, 4 * kKiB, 32 * kKiB};
  return {8};
}

}  // namespace aqueduct::bench
