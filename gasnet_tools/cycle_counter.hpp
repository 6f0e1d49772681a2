// The processor's cycle counter: whether it can serve as a clock, and how fast it runs.
#pragma once
#include <cstdint>

namespace aqueduct::gasnet_tools {

/// Whether the counter runs at a constant rate on all cores, awake or asleep: what the processor claims,
/// unless the kernel has found it to be otherwise.
bool cycles_are_steady();

std::uint64_t read_cycles();

/// Remembers the moment from which the rate is measured. The earlier, the better; the first call counts.
void start_measuring_cycles();

/// Nanoseconds of a cycle, as a fraction of 2^48. Settled on the first call, as GASNET_TSC_RATE says; sleeps
/// then for as long as the measurement has been running for less than 20 ms.
std::uint64_t cycle_fraction();
inline constexpr unsigned kFractionBits = 48;

}  // namespace aqueduct::gasnet_tools
