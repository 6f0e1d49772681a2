// Asking the processor for a cache line ahead of time.
#pragma once

namespace aqueduct {

/// The line at `place` will be written soon: fetches it as its only owner, so that the write need not ask the
/// others to give it up. Never faults. (The compiler's builtin fetches it for reading, unless it is told of a
/// processor that can do better. Old processors ignore the instruction.)
inline void expect_write(const void* place) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(place)));
#else
  __builtin_prefetch(place, 1);
#endif
}

}  // namespace aqueduct
