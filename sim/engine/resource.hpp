// A serial server: a link, a DMA engine, a bus, a firmware processor. It does one thing at a time, in the
// order of requests; requests that come while it is busy wait.
#pragma once
#include <algorithm>

#include "sim/engine/time.hpp"

namespace aqueduct::sim {

class Resource {
 public:
  /// Reserves the server for `duration`, not before `earliest` (usually now); returns when the work starts.
  Time reserve(Time earliest, Time duration) {
    const Time start = std::max(earliest, free_at_);
    free_at_ = start + duration;
    return start;
  }

  /// Keeps the server busy until `when` at least.
  void hold_until(Time when) { free_at_ = std::max(free_at_, when); }

  Time free_at() const { return free_at_; }

 private:
  Time free_at_ = 0;
};

}  // namespace aqueduct::sim
