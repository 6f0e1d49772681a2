// When the other end of a connection counts as gone although nobody has closed it: a host without power, a
// cable that was pulled, a process that hangs. Both ends say something at intervals; silence for longer than
// the agreed time is the end.
//
// A process that was stopped itself, or not scheduled, has not listened: time in which it did not look does
// not count as silence.
//
// The rule alone; times are in nanoseconds of one monotonic clock.
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

  /// To be asked after whatever had come was read, and at next_ns() at the latest. True if it is gone.
  bool is_silent(std::uint64_t now_ns) {
    if (patience_ns_ == 0) return false;
    const std::uint64_t missed = now_ns - std::min(now_ns, looked_ns_);
    if (missed > 2 * interval_ns_) heard_ns_ += missed;
    looked_ns_ = now_ns;
    return now_ns > heard_ns_ + patience_ns_;
  }

  /// Whether it is time to say something; true once each time.
  bool should_beat(std::uint64_t now_ns) {
    if (patience_ns_ == 0 || now_ns < next_beat_ns_) return false;
    next_beat_ns_ = now_ns + interval_ns_;
    return true;
  }

  /// When to ask again: for the next beat, or because silence will have lasted for long enough.
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
