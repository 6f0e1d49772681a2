// When to look again at a cache line that the other side is about to write.
//
// In a conversation over one line, each look takes the line away from whoever is just preparing to write it,
// and giving it back costs two more trips: impatience doubles the round trip. So after handing the line over,
// a side keeps its eyes off it for as long as the other has lately needed. The delay finds its own length: a
// first look that finds an answer shortens it a little, one that comes too early lengthens it, and it never
// exceeds kLongest, about what a trip takes, because beyond that nothing is gained.
//
// Only a hint, for the line of an express mailbox: losing an update between threads does no harm.
#pragma once
#include <atomic>
#include <cstdint>

namespace aqueduct::core {

class Pace {
 public:
  /// The line has been handed to the other side.
  void handed_over() {
    since_.store(ticks(), std::memory_order_relaxed);
    armed_.store(true, std::memory_order_relaxed);
  }

  /// True while it is too early to look.
  bool too_early() const {
    return armed_.load(std::memory_order_relaxed) &&
           ticks() - since_.load(std::memory_order_relaxed) < delay_.load(std::memory_order_relaxed);
  }

  /// We have looked, and found something or not.
  void looked(bool found) {
    if (!armed_.load(std::memory_order_relaxed)) return;
    armed_.store(false, std::memory_order_relaxed);
    const std::uint32_t delay = delay_.load(std::memory_order_relaxed);
    const std::uint32_t longer = delay + kStep < kLongest ? delay + kStep : kLongest;
    delay_.store(found ? delay - delay / kStep : longer, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t kLongest = 500;  // in ticks of the processor's clock
  static constexpr std::uint32_t kStep = 16;

  static std::uint32_t ticks() {
#if defined(__x86_64__)
    return static_cast<std::uint32_t>(__builtin_ia32_rdtsc());
#else
    return kLongest;  // no cheap clock: never too early
#endif
  }

  std::atomic<std::uint32_t> since_{0};
  std::atomic<std::uint32_t> delay_{0};
  std::atomic<bool> armed_{false};
};

}  // namespace aqueduct::core
