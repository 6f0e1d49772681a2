// Whether a rank waits for others. By this the supervisor distinguishes a rank that can never go on, because
// another one has left, from a rank that still computes.
//
// Each rank has a cache line in the job's shared memory. The rank writes there when a wait has lasted for a
// while, and counts the calls in which a client polls and finds no message. The supervisor reads the lines
// only after a rank has left. Ranks that leave read them as well: once all have called gasnet_exit, nobody
// needs messages that are still under way.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/types.hpp"

namespace aqueduct::job {

struct alignas(kCacheLine) Activity {
  std::atomic<std::uint32_t> waiting;      ///< threads that have waited for a while
  std::atomic<std::uint32_t> waits_ended;  ///< how often the number of waiting threads has become 0
  std::atomic<std::uint64_t> idle_calls;   ///< calls that found nothing; some may be missing
  std::atomic<std::uint32_t> leaves;   ///< 1: the rank has called gasnet_exit, and waits for nobody any more
  std::atomic<std::uint32_t> is_done;  ///< 1: it has called gasnet_exit(0), and is audited first

  void begin_wait() { waiting.fetch_add(1, std::memory_order_relaxed); }
  void end_wait() {
    if (waiting.fetch_sub(1, std::memory_order_relaxed) == 1)
      waits_ended.fetch_add(1, std::memory_order_relaxed);
  }
  /// Counts without an atomic addition: if two threads count at once, one count may be lost.
  void count_idle_call() {
    idle_calls.store(idle_calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};
static_assert(sizeof(Activity) == kCacheLine);

/// Stores for the process where the lines of all `ranks` are, and which is its own; ranks of other hosts do
/// not write theirs. The lines must stay mapped. This is a global because gasnet_exit may be called in any
/// thread.
void remember_activity(Activity* lines, RankId ranks, RankId self);

/// Marks this rank as one that has called gasnet_exit. Any thread.
void say_that_this_rank_leaves();

/// Whether all ranks of the job have called gasnet_exit, so that nobody waits for a message any more. False
/// if some are on other hosts. Any thread.
bool everyone_leaves();

}  // namespace aqueduct::job
