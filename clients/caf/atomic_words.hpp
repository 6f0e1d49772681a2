// Atomic operations on words of 4 and 8 bytes in any image's segment: by the processor where the memory is
// mapped, otherwise by the library's atomics, which are the same instructions of the processor that owns the
// memory, so that both may be mixed.
#pragma once
#include <cstdint>

#include "clients/caf/job.hpp"

namespace aqueduct::caf {

enum class AtomicOp { kGet, kSet, kAdd, kAnd, kOr, kXor, kCompareSwap };

/// Collective, once.
void begin_atomics();

/// Performs it at `offset` of the rank's segment, complete on return, and returns what was there before. The
/// location must be aligned. For kCompareSwap the word becomes `operand` if it was `compare`. Only the low
/// bits that the word has count.
std::uint64_t apply_atomic(AtomicOp op, gex_Rank_t rank, std::size_t offset, int bytes, std::uint64_t operand,
                           std::uint64_t compare = 0);

}  // namespace aqueduct::caf
