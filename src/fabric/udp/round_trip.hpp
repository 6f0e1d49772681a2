// How long an acknowledgement takes: smoothed time and deviation, as RFC 6298 and RFC 9002 have them, with
// limits that suit networks of microseconds. Not thread-safe.
#pragma once
#include <algorithm>
#include <cstdint>

namespace aqueduct::fabric::udp {

class RoundTrip {
 public:
  static constexpr std::uint64_t kInitialNs = 10'000'000;
  static constexpr std::uint64_t kLeastDeviationNs = 250'000;
  static constexpr std::uint64_t kLeastLossDelayNs = 100'000;
  static constexpr std::uint64_t kMostBackoffNs = 1'000'000'000;

  /// `held_ns`: how long the other side says that it has held the acknowledgement back.
  void add_sample(std::uint64_t sample_ns, std::uint64_t held_ns) {
    least_ns_ = std::min(least_ns_, sample_ns);
    if (sample_ns >= least_ns_ + held_ns) sample_ns -= held_ns;
    latest_ns_ = sample_ns;
    if (smoothed_ns_ == 0) {
      smoothed_ns_ = std::max<std::uint64_t>(sample_ns, 1);
      deviation_ns_ = sample_ns / 2;
      return;
    }
    const std::uint64_t error =
        sample_ns > smoothed_ns_ ? sample_ns - smoothed_ns_ : smoothed_ns_ - sample_ns;
    deviation_ns_ = (3 * deviation_ns_ + error) / 4;
    smoothed_ns_ = std::max<std::uint64_t>((7 * smoothed_ns_ + sample_ns) / 8, 1);
  }

  /// 0 before the first sample.
  std::uint64_t smoothed_ns() const { return smoothed_ns_; }
  std::uint64_t least_ns() const { return least_ns_; }
  std::uint64_t latest_ns() const { return latest_ns_; }

  /// How long to wait for an acknowledgement before the probe number `tries`.
  std::uint64_t probe_timeout_ns(unsigned tries) const {
    const std::uint64_t once =
        smoothed_ns_ == 0 ? kInitialNs : smoothed_ns_ + std::max(4 * deviation_ns_, kLeastDeviationNs);
    return std::min(once << std::min(tries, 20u), std::max(once, kMostBackoffNs));
  }

  /// A packet is lost if one sent after it was acknowledged and so much time has passed.
  std::uint64_t loss_delay_ns() const {
    const std::uint64_t longest = std::max(smoothed_ns_, latest_ns_);
    return std::max(longest + longest / 8, kLeastLossDelayNs);
  }

 private:
  std::uint64_t smoothed_ns_ = 0;
  std::uint64_t deviation_ns_ = 0;
  std::uint64_t latest_ns_ = 0;
  std::uint64_t least_ns_ = ~std::uint64_t{0} >> 1;
};

}  // namespace aqueduct::fabric::udp
