// Measures several things in turns, so that disturbances of the machine affect all of them alike.
//
// The cores of a virtual machine move, so a cache line's round trip may double from one second to the next.
// Two numbers are comparable only if their batches alternate within one run.
//
//   auto times = interleave(session, 41, {limit_batch, measured_batch});   // on all ranks
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "session.hpp"
#include "statistics.hpp"

namespace aqueduct::bench {

/// Performs `count` operations after a short warm-up and returns the nanoseconds that the `count` took
/// together. Called by every rank with the same count, between barriers; what ranks other than 0 return is
/// ignored.
using Batch = std::function<double(std::uint64_t count)>;

/// The duration of a batch: much longer than reading the clock, much shorter than the time in which the
/// machine changes.
inline constexpr double kBatchNs = 300'000;

/// Operations at the start of a two-sided batch that are not timed: the partner may have to wake up first.
inline constexpr std::uint64_t kWarmUp = 32;

/// Collective. Finds for each batch the count that takes about `batch_ns`, `least` or more, then runs all of
/// them in turns `repetitions` times. The spreads are nanoseconds per operation, in the order of the batches;
/// valid on rank 0.
std::vector<Spread> interleave(Session& session, unsigned repetitions, const std::vector<Batch>& batches,
                               double batch_ns = kBatchNs, std::uint64_t least = 1);

}  // namespace aqueduct::bench
