// Algorithms that move blocks of one size between all members, as steps of a program.
#pragma once
#include "extended/collectives/program.hpp"
#include "extended/collectives/ranks.hpp"

namespace aqueduct::extended::collectives {

/// Nobody passes before everybody has come: dissemination, in as many rounds and tags as the size has bits.
void meet(Program& program, const Ranks& ranks, Tag tag);

/// The root's block number p comes to the member at place p. Small blocks go down a binomial tree, large ones
/// straight to their places.
void scatter(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag, const void* blocks, void* mine,
             std::size_t bytes);

/// The other way round.
void gather(Program& program, const Ranks& ranks, gex_Rank_t root, Tag tag, void* blocks, const void* mine,
            std::size_t bytes);

/// Everybody gets everybody's block, in the order of places. Small blocks by Bruck's algorithm, in rounds
/// that double what is known; large ones around a ring.
void gather_to_all(Program& program, const Ranks& ranks, Tag tag, void* blocks, const void* mine,
                   std::size_t bytes);

/// Block number p of the member at place q becomes block number q of the member at place p.
void exchange(Program& program, const Ranks& ranks, Tag tag, void* to, const void* from, std::size_t bytes);

}  // namespace aqueduct::extended::collectives
