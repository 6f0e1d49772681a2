// A tree of n numbered nodes with at most four children each: all nodes are reached in O(log n) steps with
// few connections per node. Node 0 is the root; the children of i are 4 i + 1 .. 4 i + 4.
#pragma once
#include <algorithm>

#include "base/types.hpp"

namespace aqueduct::job {

struct Tree {
  static constexpr RankId kMostChildren = 4;

  RankId size;

  static constexpr RankId parent(RankId node) { return (node - 1) / kMostChildren; }
  static constexpr RankId first_child(RankId node) { return node * kMostChildren + 1; }
  RankId children(RankId node) const {
    const std::uint64_t first = std::uint64_t{node} * kMostChildren + 1;
    return first >= size ? 0 : static_cast<RankId>(std::min<std::uint64_t>(size - first, kMostChildren));
  }
  /// Whether `node` is `top` or below it.
  static constexpr bool is_below(RankId node, RankId top) {
    if (top == 0) return true;
    while (node > top) node = parent(node);
    return node == top;
  }
  /// How many nodes are `top` or below it.
  RankId count_below(RankId top) const {
    RankId count = 0;
    // Each level below is a range of numbers.
    for (std::uint64_t first = top, width = 1; first < size;
         first = first * kMostChildren + 1, width *= kMostChildren)
      count += static_cast<RankId>(std::min<std::uint64_t>(width, size - first));
    return count;
  }
};

}  // namespace aqueduct::job
