// Floods in one direction from several threads of rank 0 to several peers, in turns: what threads and peers
// change is seen beside one thread that sends to one peer.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "measure.hpp"
#include "raw/raw_interface.hpp"
#include "result.hpp"

namespace aqueduct::bench {

/// Who takes part in a flood: `threads` of rank 0, and these ranks.
struct FloodShape {
  unsigned threads = 1;
  std::vector<gex_Rank_t> peers;

  /// The first `peers` ranks from rank 0's partner on, without rank 0.
  static FloodShape of(const Session& session, unsigned threads, unsigned peers);

  /// Of `count` operations, those of one thread; it gives one to each peer in turn, beginning with that of
  /// its own number.
  std::uint64_t share_of(unsigned thread, std::uint64_t count) const {
    return count / threads + (thread < count % threads ? 1 : 0);
  }
  /// Of `count` operations, those that a rank gets; 0 for ranks that take no part.
  std::uint64_t received_by(gex_Rank_t rank, std::uint64_t count) const;
  bool is_one_to_one() const { return threads == 1 && peers.size() == 1; }
  std::string text() const;  ///< "4 threads, 8 peers"
};

/// Runs `work(thread)` on so many threads, which go on together; the nanoseconds until the last is through.
/// One thread is the caller.
double run_together(unsigned threads, const std::function<void(unsigned thread)>& work);

/// The rows of one size: one thread and one peer, and if `parameters` ask for more, all of them, with the
/// bare interface beside each where it is there and can do so. `batch` makes the flood of a shape.
/// Collective.
using MakeFlood = std::function<Batch(const FloodShape& shape)>;
void add_flood_rows(Session& session, const Parameters& parameters, std::size_t size, const MakeFlood& batch,
                    RawInterface* raw, Result* result);

}  // namespace aqueduct::bench
