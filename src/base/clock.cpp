#include "base/clock.hpp"

#include <ctime>

namespace aqueduct {
namespace {

class MachineClock final : public Clock {
 public:
  std::uint64_t now_ns() noexcept override {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
  }
};

}  // namespace

Clock& machine_clock() {
  static MachineClock clock;
  return clock;
}

}  // namespace aqueduct
