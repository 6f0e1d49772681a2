// Algorithms of reductions, as steps of a program.
//
// All of them combine neighbouring intervals of places, the lower one on the left, so that the order of ranks
// is kept and all members that compute a result compute the same one, bit for bit. Only a tree to a root
// other than the first place may turn the order around, and does so only where the operation commutes.
#pragma once
#include "extended/collectives/combiner.hpp"
#include "extended/collectives/program.hpp"
#include "extended/collectives/ranks.hpp"

namespace aqueduct::extended::collectives {

/// What is reduced: vectors of `count` elements.
struct Vectors {
  const Combiner& combiner;
  std::size_t count;

  std::size_t bytes() const { return count * combiner.element_bytes; }
  std::size_t bytes(std::size_t elements) const { return elements * combiner.element_bytes; }
};

/// A member's intermediate result: at first its own vector, which may be the client's to keep.
struct Partial {
  std::byte* at;
  bool writable;
};

/// Each uses fewer than kReductionTags tags from `tag` on, or one for each place plus these.
inline constexpr Tag kReductionTags = 128;

/// A binomial tree: `partial` of the member at place `root` becomes the result; those of others are spent.
void reduce_along_tree(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag, const Vectors& vectors,
                       Partial& partial);

/// Recursive doubling: everybody's `partial` becomes the result. For short vectors.
void reduce_by_doubling(Program& program, const Ranks& ranks, Tag tag, const Vectors& vectors,
                        Partial& partial);

/// Rabenseifner's algorithm: vectors are halved while distances double, until each member has the result of
/// one block; then blocks are brought together, in everybody's `result`, or in that of the root alone.
void reduce_by_halving_to_all(Program& program, const Ranks& ranks, Tag tag, const Vectors& vectors,
                              Partial partial, void* result);
void reduce_by_halving_to_one(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag,
                              const Vectors& vectors, Partial partial, void* result);

}  // namespace aqueduct::extended::collectives
