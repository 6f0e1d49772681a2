// A fence whose whole cost is paid by one side.
//
// Two parties that each store one word and then load the other's ("I have sent" / "I am about to sleep") need
// a full fence between store and load on both sides. Senders run millions of times a second and sleepers a
// few times, so the sleeper pays for both: it asks the kernel (membarrier) to run a full fence on every core
// that runs a thread of the job. The sender then needs only to keep the compiler from swapping its two
// accesses.
//
//   sender:  store(message); light_fence(); load(sleepers)
//   sleeper: store(sleepers); heavy_fence(); load(message)
//
// Why this suffices: the kernel's fence falls at some point of the sender's program order. If it falls after
// the sender's store, the store is visible to the sleeper's load. If it falls before, the sender's load comes
// after the fence and so sees the sleeper's store. One of the two always notices the other.
//
// Where the kernel has no membarrier, light_fence() becomes a full fence as well.
#pragma once
#include <atomic>

namespace aqueduct {

/// Must be called once in every process of the job before it sends; registers it with the kernel.
void register_for_heavy_fences();

/// Set by register_for_heavy_fences(), read-only afterwards.
extern bool kernel_fences_available;

inline void light_fence() {
  if (kernel_fences_available) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

void heavy_fence();

}  // namespace aqueduct
