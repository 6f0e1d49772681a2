// Whether a rank waits for others: what its supervisor must know to tell a rank that can never go on, because
// another one has left, from a rank that still has something to do.
//
// Each rank has a line of its own in the job's shared memory. It writes there when a wait has lasted for a
// while, and counts the calls with which a client looks for messages by itself and finds none. The supervisor
// looks at the lines only after a rank has left. Ranks that leave look there as well: once all have called
// gasnet_exit, nobody needs what is still on its way.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/types.hpp"

namespace aqueduct::job {

struct alignas(kCacheLine) Activity {
  std::atomic<std::uint32_t> waiting;      ///< threads that have waited for a while
  std::atomic<std::uint32_t> waits_ended;  ///< how often the last of them has gone on
  std::atomic<std::uint64_t> idle_calls;   ///< calls that found nothing; some may be missing
  std::atomic<std::uint32_t> leaves;       ///< 1: it has called gasnet_exit, and waits for nobody any more

  void begin_wait() { waiting.fetch_add(1, std::memory_order_relaxed); }
  void end_wait() {
    if (waiting.fetch_sub(1, std::memory_order_relaxed) == 1)
      waits_ended.fetch_add(1, std::memory_order_relaxed);
  }
  /// Counts without a lock: what two threads count at once may be lost.
  void count_idle_call() {
    idle_calls.store(idle_calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};
static_assert(sizeof(Activity) == kCacheLine);

/// Where all `ranks` of the job say what they do; those of other hosts do not. `self` is this one. The lines
/// stay mapped. Remembered for the process, as ranks leave from any thread with nothing in hand.
void remember_activity(Activity* lines, RankId ranks, RankId self);

/// This rank has called gasnet_exit. Any thread.
void say_that_this_rank_leaves();

/// Whether all ranks of the job have called gasnet_exit: nobody waits for a message any more. False if some
/// are on other hosts. Any thread.
bool everyone_leaves();

}  // namespace aqueduct::job
