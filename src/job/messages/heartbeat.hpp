// Decides when the other end of a connection counts as gone although nobody has closed it: a host without
// power, a cable that was pulled, a process that hangs. Both ends send a beat at intervals; silence for
// longer than the agreed time means that the other end is gone.
//
// A process that was itself stopped or not scheduled did not listen: such time does not count as silence.
//
// This class does no input or output; times are in nanoseconds of one monotonic clock.
#pragma once
#include <algorithm>
#include <cstdint>

namespace aqueduct::job {

class Heartbeat {
 public:
  static constexpr std::uint64_t kForever = ~std::uint64_t{0};

  /// `patience_ms` 0: silence never counts, and there are no beats.
  Heartbeat(std::uint32_t patience_ms, std::uint64_t now_ns)
      : patience_ns_(std::uint64_t{patience_ms} * 1'000'000),
        interval_ns_(patience_ns_ / kBeatsInPatience),
        heard_ns_(now_ns),
        looked_ns_(now_ns),
        next_beat_ns_(now_ns + interval_ns_) {}

  /// Something came from the other end.
  void heard(std::uint64_t now_ns) { heard_ns_ = std::max(heard_ns_, now_ns); }

  /// True if the other end is gone. Call it after reading all input, and at next_ns() at the latest.
  bool is_silent(std::uint64_t now_ns) {
    if (patience_ns_ == 0) return false;
    const std::uint64_t missed = now_ns - std::min(now_ns, looked_ns_);
    if (missed > 2 * interval_ns_) heard_ns_ += missed;
    looked_ns_ = now_ns;
    return now_ns > heard_ns_ + patience_ns_;
  }

  /// Whether it is time to send a beat; true once per beat.
  bool should_beat(std::uint64_t now_ns) {
    if (patience_ns_ == 0 || now_ns < next_beat_ns_) return false;
    next_beat_ns_ = now_ns + interval_ns_;
    return true;
  }

  /// When to call again: at the next beat, or when silence will have lasted too long.
  std::uint64_t next_ns() const {
    return patience_ns_ == 0 ? kForever : std::min(next_beat_ns_, heard_ns_ + patience_ns_ + 1);
  }

 private:
  static constexpr std::uint64_t kBeatsInPatience = 5;

  std::uint64_t patience_ns_;
  std::uint64_t interval_ns_;
  std::uint64_t heard_ns_;
  std::uint64_t looked_ns_;
  std::uint64_t next_beat_ns_;
};

}  // namespace aqueduct::job
