// Waiting for something that takes a moment, where there is nothing to sleep at.
#pragma once
#include "base/spin_lock.hpp"

namespace aqueduct {

/// To be called after each look that found nothing: pauses, and after a short while yields, because the
/// thread that we wait for may have lost its core.
class Spinning {
 public:
  void pause() {
    if (++looks_ < kBriefly) {
      cpu_pause();
    } else {
      ::sched_yield();
    }
  }
  void restart() { looks_ = 0; }

 private:
  static constexpr unsigned kBriefly = 128;
  unsigned looks_ = 0;
};

}  // namespace aqueduct
