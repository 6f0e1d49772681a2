// When to look again at a cache line that the other side is about to write.
//
// In a conversation over one line, each look takes the line away from whoever is just preparing to write it,
// and giving it back costs two more trips: looking too early doubles the round trip. So after handing the
// line over, a side keeps its eyes off it for a while. How long is best depends on the machine, the message
// and what the other side does with it, and neither side can tell from one look whether it came at the right
// moment: a look that finds an answer may have come too late, and one side's delay moves the other's. So the
// delay is found by trial: every so often a few messages are spent on each of kDelays and then on two delays
// beside the best of them, and the one with which the conversation went fastest is kept until the next trial.
//
// Where a processor has no cheap clock nothing is ever too early: by a clock that stands still it always
// would be.
//
// Only a hint, for the line of an express mailbox: losing an update between threads does no harm.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

namespace aqueduct::core {

class PollBackoff {
 public:
  /// The line has been handed to the other side. True if turn() must be called soon.
  [[gnu::always_inline]] bool handed_over() {
    const std::uint32_t now = ticks();
    const std::uint32_t left = left_.load(std::memory_order_relaxed) - 1;
    if (trial_.load(std::memory_order_relaxed) < kTrials) [[unlikely]]
      note(now - since_.load(std::memory_order_relaxed));
    since_.store(now, std::memory_order_relaxed);
    armed_.store(true, std::memory_order_relaxed);
    left_.store(left, std::memory_order_relaxed);
    return left == 0;
  }

  bool turn_is_due() const { return left_.load(std::memory_order_relaxed) == 0; }
  /// The time of the present delay is over: takes the next one.
  [[gnu::cold]] void turn() {
    const unsigned ended = trial_.load(std::memory_order_relaxed);
    unsigned next = ended >= kTrials ? 0 : ended + 1;
    if (next == kDelays.size()) best_.store(best_of(0, kDelays.size(), 0), std::memory_order_relaxed);
    if (next == kTrials) {
      const std::uint8_t best = best_of(kDelays.size(), kTrials, best_.load(std::memory_order_relaxed));
      delay_.store(delay_of(best), std::memory_order_relaxed);
      left_.store(kMessagesBetween + since_.load(std::memory_order_relaxed) % kMessagesBetween,
                  std::memory_order_relaxed);
    } else {
      sums_[next].store(0, std::memory_order_relaxed);
      delay_.store(delay_of(next), std::memory_order_relaxed);
      left_.store(kMessagesOfTrial, std::memory_order_relaxed);
    }
    trial_.store(static_cast<std::uint8_t>(next), std::memory_order_relaxed);
  }

  /// True if it may be too early to look.
  bool is_armed() const { return armed_.load(std::memory_order_relaxed); }
  /// True while it is too early to look.
  bool too_early() const {
    return kHasClock && armed_.load(std::memory_order_relaxed) &&
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

  static constexpr unsigned kTrials = kDelays.size() + 2;

  // The delay of a trial. The last two lie half-way to the neighbours of the best.
  std::uint16_t delay_of(unsigned trial) const {
    if (trial < kDelays.size()) return kDelays[trial];
    const unsigned best = best_.load(std::memory_order_relaxed);
    const bool longer = trial > kDelays.size();
    const unsigned beside =
        longer ? (best + 1 < kDelays.size() ? best + 1 : best) : (best != 0 ? best - 1 : 0);
    return static_cast<std::uint16_t>((kDelays[best] + kDelays[beside]) / 2);
  }

  // The fastest of `best` and the trials from `first` on.
  std::uint8_t best_of(unsigned first, unsigned end, std::uint8_t best) const {
    for (unsigned i = first; i < end; ++i) {
      if (sums_[i].load(std::memory_order_relaxed) < sums_[best].load(std::memory_order_relaxed))
        best = static_cast<std::uint8_t>(i);
    }
    return best;
  }

  void note(std::uint32_t took) {
    std::atomic<std::uint16_t>& sum = sums_[trial_.load(std::memory_order_relaxed)];
    sum.store(static_cast<std::uint16_t>(sum.load(std::memory_order_relaxed) +
                                         (took < kLongestCounted ? took : kLongestCounted)),
              std::memory_order_relaxed);
  }

#if defined(__x86_64__)
  static constexpr bool kHasClock = true;
#else
  static constexpr bool kHasClock = false;
#endif
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
  std::atomic<std::uint8_t> trial_{0};  // which one is going on; kTrials while none is
  std::atomic<bool> armed_{false};
  std::array<std::atomic<std::uint16_t>, kTrials> sums_{};
  std::atomic<std::uint8_t> best_{0};  // of kDelays, in the last trials
};

}  // namespace aqueduct::core
