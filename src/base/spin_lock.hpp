// A lock for a handful of instructions. Uncontended: one exchange to take, one store to give back.
#pragma once
#include <sched.h>

#include <atomic>

namespace aqueduct {

inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class SpinLock {
 public:
  bool try_lock() {
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    // The holder may have lost its core: after a short while let it run.
    for (unsigned tries = 0; !try_lock(); ++tries) {
      if (tries < 128) {
        cpu_pause();
      } else {
        ::sched_yield();
      }
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace aqueduct
