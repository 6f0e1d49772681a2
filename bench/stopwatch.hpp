// Clocks for measuring loops.
#pragma once
#include <chrono>
#include <cstdint>

namespace aqueduct::bench {

/// Nanoseconds since its construction. Reading it takes tens of nanoseconds: use it for batches, not for
/// single operations.
class Stopwatch {
 public:
  double ns() const { return std::chrono::duration<double, std::nano>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// The processor's cycle counter if there is one, ordered after everything before it in the program.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  const std::uint64_t now = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return now;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Converts intervals between two ticks().
struct TickScale {
  double ns_per_tick = 1;
  double empty_interval_ticks = 0;  ///< an empty interval: the cost of measuring

  static TickScale measure();
  /// The time inside `intervals` intervals that add up to `sum` ticks, without the cost of measuring.
  double ns(std::uint64_t sum, std::uint64_t intervals) const;
};

/// Keeps the compiler from moving memory accesses across this point or dropping them as unused.
inline void keep_memory() { asm volatile("" ::: "memory"); }

}  // namespace aqueduct::bench
