// The processor's cycle counter: whether it can serve as a clock, and how fast it runs.
#pragma once
#include <cstdint>

namespace aqueduct::gasnet_tools {

/// Whether the counter runs at a constant rate on all cores, awake or asleep: the processor claims it and the
/// kernel does not deny it.
bool cycles_are_steady();

std::uint64_t read_cycles();

/// Stores the time from which the rate is measured. The earlier, the better; only the first call counts.
void start_measuring_cycles();

/// Nanoseconds of a cycle, as a fraction of 2^48. The first call decides, by GASNET_TSC_RATE; it may sleep
/// until the measurement has taken 20 ms.
std::uint64_t cycle_fraction();
inline constexpr unsigned kFractionBits = 48;

}  // namespace aqueduct::gasnet_tools
