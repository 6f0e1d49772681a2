// The speed of the bare machine, with which the other benchmarks compare.
//
// None of these calls the library. They use the same memory as the library would: the partner's segment, as
// this process has it mapped, and private memory. All need session.pair_shares_memory(); the round trips are
// meaningful only with session.pair_can_bounce_a_line().
#pragma once
#include <cstddef>

#include "measure.hpp"

namespace aqueduct::bench {

/// One cache line bounces between rank 0 and its partner: rank 0 writes a word, the partner answers in the
/// same line.
Batch one_line_round_trip(Session& session);

/// The same with a line for each direction, as in two one-way queues.
Batch two_line_round_trip(Session& session);

/// Rank 0 copies `bytes` of private memory into the partner's data, the partner copies them from there into
/// rank 0's data; each signals its end in the line that bounces. A message whose payload is read, and its
/// reply, need at least this.
Batch two_copies_round_trip(Session& session, std::size_t bytes, const std::byte* from);

/// Rank 0 copies `bytes` from `source` (private) to `target` (the partner's data as mapped here), or back.
/// Successive copies walk over `slots` places that lie `stride` bytes apart.
struct CopyPlan {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
  std::size_t stride = 0;
  std::size_t slots = 1;    ///< a power of two
  std::uint64_t first = 0;  ///< how many copies there have been before these
};
Batch plain_copy(Session& session, const CopyPlan& plan, bool goes_on = false);

}  // namespace aqueduct::bench
