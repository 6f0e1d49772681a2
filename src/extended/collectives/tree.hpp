// Trees along which data spreads from a root, and how it does.
#pragma once
#include <vector>

#include "extended/collectives/program.hpp"
#include "extended/collectives/ranks.hpp"

namespace aqueduct::extended::collectives {

/// A member's place in a tree: ranks in the team. Kept by the caller, so that its memory can be used again.
struct Edges {
  gex_Rank_t parent = GEX_RANK_INVALID;  ///< of the root: none
  std::vector<gex_Rank_t> children;

  void clear() {
    parent = GEX_RANK_INVALID;
    children.clear();
  }
};

/// Add the edges of a tree over `ranks`, of which the member at place `root` is the root.
/// Binomial: the fewest rounds, for data that is sent in one piece.
void add_binomial_edges(Edges& edges, const Ranks& ranks, gex_Rank_t root);
/// No more than `degree` children each, for data that is sent in many pieces; with 1 the tree is a chain.
void add_narrow_edges(Edges& edges, const Ranks& ranks, gex_Rank_t root, gex_Rank_t degree);

/// Sends `bytes` from the root's `from` to everybody else's `to`, in pieces of at most `piece_bytes`, each
/// passed on as soon as it is there. Uses as many tags from `tag` on as there are pieces.
void spread(Program& program, const Edges& edges, Tag tag, const void* from, void* to, std::size_t bytes,
            std::size_t piece_bytes);

}  // namespace aqueduct::extended::collectives
