// The packet numbers of one sender that have come, for as far back as kWindow: what comes again is known for
// a duplicate or a replay, and what is older than that is refused like one. Also says what to acknowledge.
// Not thread-safe.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "fabric/udp/packet.hpp"

namespace aqueduct::fabric::udp {

class ReceivedNumbers {
 public:
  static constexpr std::uint64_t kWindow = 4096;
  /// No sender is ahead by more than this: it stops long before.
  static constexpr std::uint64_t kFarthest = std::uint64_t{1} << 20;

  enum class Verdict : std::uint8_t { kNew, kDuplicate, kTooOld, kTooFar };

  Verdict judge(std::uint64_t number) const {
    if (number >= next_) return number - next_ < kFarthest ? Verdict::kNew : Verdict::kTooFar;
    if (number < oldest()) return Verdict::kTooOld;
    return has(number) ? Verdict::kDuplicate : Verdict::kNew;
  }

  /// `number` is new. True if numbers before it are missing.
  bool add(std::uint64_t number) {
    if (number >= next_) {
      const bool leaves_gap = number > next_;
      if (leaves_gap) {
        clear(next_, number);
        solid_from_ = number;
      }
      next_ = number + 1;
      bits_[number / 64 % kWords] |= bit(number);
      return leaves_gap;
    }
    bits_[number / 64 % kWords] |= bit(number);
    if (number + 1 == solid_from_) solid_from_ = number - run_down(number - 1, true);
    return true;
  }

  /// So many numbers behind largest() have come.
  void add_next(unsigned count) {
    for (const std::uint64_t end = next_ + count; next_ != end;) {
      const std::uint64_t mask = in_word(next_, end);
      bits_[next_ / 64 % kWords] |= mask;
      next_ += static_cast<unsigned>(std::popcount(mask));
    }
  }

  bool has_any() const { return next_ != 0; }
  std::uint64_t largest() const { return next_ - 1; }

  /// Fills in `largest` and the runs, as many as `most` allows.
  void report(AckFrame* ack, std::size_t most) const {
    ack->largest = next_ - 1;
    ack->runs = 0;
    most = std::min(most, AckFrame::kMostRuns);
    std::uint64_t run = next_ - std::max(solid_from_, oldest());
    std::uint64_t gap = 0;
    std::uint64_t at = next_ - run;  // behind what is still to be reported
    for (;;) {
      ack->run[ack->runs++] = {static_cast<std::uint16_t>(gap), static_cast<std::uint16_t>(run)};
      if (ack->runs == most || at == oldest()) return;
      gap = run_down(at - 1, false);
      at -= gap;
      if (at == oldest()) return;
      run = run_down(at - 1, true);
      at -= run;
    }
  }

 private:
  static constexpr std::size_t kWords = kWindow / 64;

  /// The bits of the numbers from `begin` to `end`, as far as they are in one word.
  static std::uint64_t in_word(std::uint64_t begin, std::uint64_t end) {
    const auto from = static_cast<unsigned>(begin % 64);
    const std::uint64_t count = std::min<std::uint64_t>(64 - from, end - begin);
    return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << from;
  }
  static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << number % 64; }
  bool has(std::uint64_t number) const { return (bits_[number / 64 % kWords] & bit(number)) != 0; }
  /// The oldest that is remembered. A word less than the window: the newest word is in use by newer numbers.
  std::uint64_t oldest() const {
    constexpr std::uint64_t kKept = kWindow - 64;
    return next_ > kKept ? next_ - kKept : 0;
  }

  /// How many numbers from `number` downward have come, or have not, as far as is remembered.
  std::uint64_t run_down(std::uint64_t number, bool has_come) const {
    std::uint64_t count = 0;
    const std::uint64_t end = oldest();
    if (number + 1 <= end) return 0;
    const std::uint64_t most = number + 1 - end;
    while (count < most) {
      const std::uint64_t here = number - count;
      const std::uint64_t word = bits_[here / 64 % kWords] ^ (has_come ? 0 : ~std::uint64_t{0});
      const auto room = static_cast<unsigned>(here % 64) + 1;
      const auto ones = static_cast<unsigned>(std::countl_one(word << (64 - room)));
      const unsigned run = std::min(ones, room);
      count += run;
      if (run < room) break;
    }
    return std::min(count, most);
  }

  void clear(std::uint64_t begin, std::uint64_t end) {
    if (end - begin >= kWindow) {
      bits_.fill(0);
      return;
    }
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t mask = in_word(at, end);
      bits_[at / 64 % kWords] &= ~mask;
      at += static_cast<unsigned>(std::popcount(mask));
    }
  }

  std::uint64_t next_ = 0;
  std::uint64_t solid_from_ = 0;  // from here on all have come
  std::array<std::uint64_t, kWords> bits_{};
};

}  // namespace aqueduct::fabric::udp
