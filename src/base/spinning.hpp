// Waiting for something that takes a moment, where there is nothing to sleep at.
#pragma once
#include "base/spin_lock.hpp"

namespace aqueduct {

/// Fruitless looks: pauses, and after a short while lets whoever must do it run, because he may have lost his
/// core.
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
