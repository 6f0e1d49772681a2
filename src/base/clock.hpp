// The one clock. Everything that needs the time asks the clock of its rank; a simulation gives its ranks
// another one.
#pragma once
#include <cstdint>

namespace aqueduct {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic nanoseconds from an arbitrary origin. Any thread.
  virtual std::uint64_t now_ns() noexcept = 0;
};

/// The clock of the machine we run on.
Clock& machine_clock();

}  // namespace aqueduct
