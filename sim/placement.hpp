// Decides which node each rank is on.
//
//   packed       rank r on node r / ranks_per_node
//   cyclic       rank r on node r % nodes: one on each, then the next round
//   strided:S    as packed, but along every S-th node: 0, S, 2S, …, then 1, S + 1, …
//   random       as packed, but along the nodes in an order that the seed gives
//   file:PATH    a number of a node for each rank, one to a line; # starts a comment
//
// With a file, nodes may have different numbers of ranks, or none; otherwise each has ranks_per_node.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"

namespace aqueduct::sim {

/// The node of each rank; an empty list for packed. Nothing, with a line in `*error`, if `text` is none of
/// the above, or its file cannot be read or names a node that does not exist.
std::optional<std::vector<fabric::NodeId>> place_ranks(std::string_view text, fabric::NodeId nodes,
                                                       unsigned ranks_per_node, std::uint64_t seed,
                                                       std::string* error);

}  // namespace aqueduct::sim
