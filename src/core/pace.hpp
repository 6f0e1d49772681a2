// When to look again at a cache line that the other side is about to write.
//
// In a conversation over one line, each look takes the line away from whoever is just preparing to write it,
// and giving it back costs two more trips: impatience doubles the round trip. So after handing the line over,
// a side keeps its eyes off it for a while. How long is best depends on the machine, the message and what the
// other side does with it, and neither side can tell from one look whether it came at the right moment: a
// look that finds an answer may have come too late, and one side's delay moves the other's. So the delay is
// found by trial: every so often a few messages are spent on each of kDelays, and the one with which the
// conversation went fastest is kept until the next trial.
//
// Only a hint, for the line of an express mailbox: losing an update between threads does no harm.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

namespace aqueduct::core {

class Pace {
 public:
  /// The line has been handed to the other side. True if turn() must be called soon.
  [[gnu::always_inline]] bool handed_over() {
    const std::uint32_t now = ticks();
    const std::uint32_t left = left_.load(std::memory_order_relaxed) - 1;
    if (trial_.load(std::memory_order_relaxed) < kDelays.size()) [[unlikely]]
      note(now - since_.load(std::memory_order_relaxed));
    since_.store(now, std::memory_order_relaxed);
    armed_.store(true, std::memory_order_relaxed);
    left_.store(left, std::memory_order_relaxed);
    return left == 0;
  }

  bool turn_is_due() const { return left_.load(std::memory_order_relaxed) == 0; }
  /// The time of the present delay is over: takes the next one.
  [[gnu::cold]] void turn() {
    const std::uint8_t trial = trial_.load(std::memory_order_relaxed);
    std::uint8_t next = trial >= kDelays.size() ? 0 : static_cast<std::uint8_t>(trial + 1);
    if (next == kDelays.size()) {
      unsigned best = 0;
      for (unsigned i = 1; i < kDelays.size(); ++i) {
        if (sums_[i].load(std::memory_order_relaxed) < sums_[best].load(std::memory_order_relaxed)) best = i;
      }
      delay_.store(kDelays[best], std::memory_order_relaxed);
      left_.store(kMessagesBetween + since_.load(std::memory_order_relaxed) % kMessagesBetween,
                  std::memory_order_relaxed);
    } else {
      sums_[next].store(0, std::memory_order_relaxed);
      delay_.store(kDelays[next], std::memory_order_relaxed);
      left_.store(kMessagesOfTrial, std::memory_order_relaxed);
    }
    trial_.store(next, std::memory_order_relaxed);
  }

  /// True while it is too early to look.
  bool too_early() const {
    return armed_.load(std::memory_order_relaxed) &&
           ticks() - since_.load(std::memory_order_relaxed) < delay_.load(std::memory_order_relaxed);
  }

  /// We have looked and found nothing. Writes only once: several threads may look at one mailbox.
  void looked_in_vain() {
    if (armed_.load(std::memory_order_relaxed)) armed_.store(false, std::memory_order_relaxed);
  }

 private:
  // In ticks of the processor's clock. Beyond the last, which is more than a trip takes, nothing is gained.
  static constexpr std::array<std::uint16_t, 8> kDelays{0, 50, 90, 130, 180, 240, 320, 420};
  static constexpr std::uint32_t kMessagesOfTrial = 16;
  static constexpr std::uint32_t kMessagesBetween = 2048;  // and up to as many more, so that the sides differ
  static constexpr std::uint32_t kLongestCounted = 2000;   // what takes longer has another reason

  void note(std::uint32_t took) {
    std::atomic<std::uint16_t>& sum = sums_[trial_.load(std::memory_order_relaxed)];
    sum.store(static_cast<std::uint16_t>(sum.load(std::memory_order_relaxed) +
                                         (took < kLongestCounted ? took : kLongestCounted)),
              std::memory_order_relaxed);
  }

  static std::uint32_t ticks() {
#if defined(__x86_64__)
    return static_cast<std::uint32_t>(__builtin_ia32_rdtsc());
#else
    return 0;  // no cheap clock
#endif
  }

  std::atomic<std::uint32_t> since_{0};
  std::atomic<std::uint32_t> left_{kMessagesOfTrial};
  std::atomic<std::uint16_t> delay_{0};
  std::atomic<std::uint8_t> trial_{0};  // which of kDelays is on trial; their number while none is
  std::atomic<bool> armed_{false};
  std::array<std::atomic<std::uint16_t>, kDelays.size()> sums_{};
};

}  // namespace aqueduct::core
