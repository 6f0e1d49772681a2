// How soon to look at a provider over TCP again while the data of peers stream in.
//
// A rank that reads a socket as soon as a packet is there makes the sender's core do nearly all the work: it
// sends each packet by itself, also the short one at the end of each put, and takes it through TCP on both
// sides. If the rank reads a microsecond later, packets wait for room, leave together, and it is the reader's
// acknowledgement, on the reader's core, that sends them. In floods of puts of 64 KiB each takes 13 us with
// the first and 10 us with the second. A single transfer must not wait. So looks are held back only while
// several in a row have moved much, with short times between them.
//
// Threads: one at a time.
#pragma once
#include <algorithm>
#include <cstdint>

namespace aqueduct::conduit::ofi {

class Pace {
 public:
  /// Data stream in, and the last look was only just over.
  bool holds_back(std::uint64_t now_ns) const {
    return in_a_row_ == kInARow && now_ns < last_look_ns_ + kPauseNs;
  }
  /// A look from `begun_ns` to `now_ns` is over. One that takes long has moved much; or this rank was without
  /// its core, so a single one says nothing. True while data stream in.
  bool looked(std::uint64_t begun_ns, std::uint64_t now_ns) {
    const std::uint64_t took_ns = now_ns - begun_ns;
    if (in_a_row_ != 0 && begun_ns - moved_at_ns_ > longest_gap_ns_) in_a_row_ = 0;
    last_look_ns_ = now_ns;
    if (took_ns < kMuchNs) return false;
    in_a_row_ = std::min(in_a_row_ + 1, kInARow);
    moved_at_ns_ = now_ns;
    longest_gap_ns_ = std::max(kGapNs, took_ns);
    return in_a_row_ == kInARow;
  }

 private:
  static constexpr std::uint64_t kMuchNs = 1500;  // an empty look takes 0.3 us, 64 KiB take 6
  static constexpr std::uint64_t kGapNs = 5000;   // between single puts of 64 KiB it is 10 us
  static constexpr std::uint64_t kPauseNs = 1000;
  static constexpr unsigned kInARow = 4;

  unsigned in_a_row_ = 0;             // looks that have moved much
  std::uint64_t moved_at_ns_ = 0;     // the end of the last one
  std::uint64_t longest_gap_ns_ = 0;  // after it, if the next one is to follow in a row
  std::uint64_t last_look_ns_ = 0;
};

}  // namespace aqueduct::conduit::ofi
