// The message sizes of NetPIPE: powers of two and the sizes halfway between them, each also a few bytes
// smaller and larger, to show effects of alignment and of sizes that just do not fit.
#pragma once
#include <cstddef>
#include <vector>

namespace aqueduct::bench::portals {

/// Sizes from 1 to at most `largest`, rising: 1 2 3 4 6 8 12 13 16 19 21 24 27 29 32 35 45 48 51 ... with the
/// perturbation of 3 that NetPIPE uses unless told otherwise.
std::vector<std::size_t> netpipe_sizes(std::size_t largest, std::size_t perturbation = 3);

}  // namespace aqueduct::bench::portals
