// Shared by the calls of the C interface: finds the process that a call belongs to, charges the call, and
// waits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {

/// Runs one call. `results_given`: no pointer for a result is null.
template <class Function>
gni_return_t call(Call kind, std::size_t amount, bool results_given, Function function) {
  Process* const process = Process::current();
  if (process == nullptr || !results_given) return GNI_RC_INVALID_PARAM;
  process->device().enter(kind, amount);
  return function(*process);
}

inline constexpr std::uint32_t kForeverMs = ~0u;

/// Calls `look` until it returns something other than `empty`, or until the deadline; at least once.
template <class Look>
gni_return_t wait_for(Process& process, std::uint64_t deadline_ns, Call kind, gni_return_t empty, Look look) {
  for (;;) {
    const std::uint64_t seen = process.activity().load(std::memory_order_acquire);
    process.device().enter(kind, 0);
    const gni_return_t code = look();
    if (code != empty) return code;
    if (process.device().now_ns() >= deadline_ns) return GNI_RC_TIMEOUT;
    process.device().wait(process.activity(), seen, deadline_ns);
  }
}

inline std::uint64_t deadline_after(Process& process, std::uint64_t timeout_ms, std::uint64_t forever) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 4'000'000;
  if (timeout_ms == forever || timeout_ms > kMost) return kForever;
  return process.device().now_ns() + timeout_ms * 1'000'000;
}

inline std::span<const std::byte> bytes_of(const void* start, std::uint32_t length) {
  return {static_cast<const std::byte*>(start), length};
}

}  // namespace aqueduct::ugni
