// What the put and get benchmarks share: the places of successive transfers of one size, and their
// measurement.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "limits.hpp"
#include "parameters.hpp"
#include "raw/raw_interface.hpp"
#include "result.hpp"

namespace aqueduct::bench {

/// The places of successive transfers. A few adjacent ones, so that no store waits for the previous one,
/// small enough to stay in the first-level cache; or as many as there are in `memory`, which caches do not
/// hold if it is large.
struct Window {
  std::size_t stride;
  std::size_t slots;

  explicit Window(std::size_t bytes, std::size_t memory = 0)
      : stride((bytes + 63) / 64 * 64),
        slots(memory != 0 ? std::max<std::size_t>(std::bit_floor(memory / stride), 1)
                          : std::clamp<std::size_t>(std::bit_floor(16384 / stride), 1, 16)) {}
  std::size_t bytes() const { return stride * slots; }
};

/// The most data that a window over any of the sizes takes.
inline std::size_t window_bytes(const Parameters& parameters) {
  std::size_t most = 0;
  for (const std::size_t size : parameters.sizes)
    most = std::max(most, Window(size, parameters.window).bytes());
  return most;
}

/// Private memory that starts on a page, as a segment's does, and has been touched.
class PrivateMemory {
 public:
  explicit PrivateMemory(std::size_t bytes);
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

enum class Direction { kPut, kGet };

/// Performs `count` transfers with the partner as planned, returns the nanoseconds. The plan is passed by
/// value, so that the loop can keep it in registers.
using TransferLoop = double (*)(gex_TM_t team, gex_Rank_t partner, CopyPlan plan, std::uint64_t count);

/// Rows of nanoseconds per transfer, one for each size, beside plain copies between the same buffers where
/// the pair shares memory. Collective.
/// With `raw`, beside the raw interface's result for that size. `least(size)`: how many transfers a
/// batch has at least; null: one.
using RawBatch = Batch (RawInterface::*)(std::size_t bytes);
std::vector<Row> measure_transfers(Session& session, const Parameters& parameters, Direction direction,
                                   TransferLoop loop, RawInterface* raw, RawBatch raw_batch,
                                   std::uint64_t (*least)(std::size_t size) = nullptr);

}  // namespace aqueduct::bench
