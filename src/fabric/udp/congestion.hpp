// How many bytes may be on their way to one peer at once.
//
// The window grows by what is acknowledged until it is first cut, then by a part of a datagram per round
// trip and window, and never beyond what the receiver says it has room for. Losses cut it only where they
// look like a queue that overflows: a good part of what was sent is lost (smoothed, more than
// kCongestedLoss), or round trips take several times as long as the shortest. A few losses without that are
// noise of the path, and a smaller window would only lose throughput. At most one cut in a round trip. A path
// on which nothing is heard any more begins again with the least window. Not thread-safe.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace aqueduct::fabric::udp {

class Congestion {
 public:
  static constexpr std::size_t kInitialWindow = std::size_t{256} << 10;
  static constexpr std::size_t kMostWindow = std::size_t{64} << 20;
  static constexpr std::size_t kLeastDatagrams = 8;
  /// Of 1024 datagrams, so many lost are congestion.
  static constexpr std::uint32_t kCongestedLoss = 64;

  std::size_t window() const { return window_; }
  /// A good part of what was sent is lost.
  bool loses_many() const { return loss_ > kCongestedLoss * (kWhole / 1024); }

  /// So many datagrams of so many bytes each were acknowledged; one may have as many as `datagram_bytes`.
  void acknowledged(std::uint64_t count, std::size_t each_bytes, std::size_t datagram_bytes, bool was_full) {
    for (std::uint64_t i = 0; i != count && loss_ >= kSmoothing; ++i) loss_ -= loss_ / kSmoothing;
    if (!was_full) return;  // what was not used needs not grow
    const std::size_t bytes = count * each_bytes;
    if (!was_cut_) {
      window_ = std::min(window_ + bytes, kMostWindow);
      return;
    }
    // Faster than one datagram in a round trip where the window is large: rates of networks differ by 10^4.
    const std::size_t step = std::max(datagram_bytes, window_ / 32);
    window_ = std::min(window_ + std::max<std::size_t>(step * bytes / window_, 1), kMostWindow);
  }

  /// A datagram sent at `sent_ns` is lost. True if that has cut the window.
  bool lost(std::uint64_t sent_ns, std::uint64_t now_ns, bool is_slow, std::size_t datagram_bytes) {
    loss_ += (kWhole - loss_) / kSmoothing;
    const bool is_congested = is_slow || loses_many();
    if (!is_congested || sent_ns < cut_ns_) return false;
    cut_ns_ = now_ns;
    was_cut_ = true;
    window_ = std::max(window_ / 10 * 7, kLeastDatagrams * datagram_bytes);
    return true;
  }

  /// Several probes in a row were not answered.
  void silent(std::uint64_t now_ns, std::size_t datagram_bytes) {
    cut_ns_ = now_ns;
    was_cut_ = false;
    window_ = kLeastDatagrams * datagram_bytes;
  }

 private:
  static constexpr std::uint32_t kWhole = 1 << 20;
  static constexpr std::uint32_t kSmoothing = 64;

  std::size_t window_ = kInitialWindow;
  std::uint32_t loss_ = 0;  // smoothed part of datagrams that are lost, of kWhole
  bool was_cut_ = false;
  std::uint64_t cut_ns_ = 0;
};

}  // namespace aqueduct::fabric::udp
