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

/// Looks until `is_over()`, further and further apart: threads that wait for the same line take it from
/// whoever works on it each time they look. The thread that it waits for may have lost its core, so after a
/// short while this yields between looks.
template <class IsOver>
inline void spin_until(IsOver&& is_over) {
  constexpr unsigned kMostPauses = 16, kPausesBeforeYield = 128;
  for (unsigned pauses = 1, all = 0; !is_over(); pauses = pauses < kMostPauses ? 2 * pauses : pauses) {
    if (all < kPausesBeforeYield) {
      for (unsigned i = 0; i < pauses; ++i) cpu_pause();
      all += pauses;
    } else {
      ::sched_yield();
    }
  }
}

class SpinLock {
 public:
  bool try_lock() {
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    if (try_lock()) [[likely]]
      return;
    do {
      spin_until([this] { return !held_.load(std::memory_order_relaxed); });
    } while (!try_lock());
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

/// A SpinLock where threads share it. Where there is one thread nothing is exchanged, which takes as long as
/// the rest of a short path, and try_lock() fails only if the thread holds it already.
class OptionalSpinLock {
 public:
  explicit OptionalSpinLock(bool is_shared) : is_shared_(is_shared) {}

  bool try_lock() {
    if (is_shared_) return lock_.try_lock();
    if (is_held_) return false;
    is_held_ = true;
    return true;
  }
  void lock() { is_shared_ ? lock_.lock() : void(is_held_ = true); }
  void unlock() { is_shared_ ? lock_.unlock() : void(is_held_ = false); }

 private:
  SpinLock lock_;
  const bool is_shared_;
  bool is_held_ = false;
};

}  // namespace aqueduct
