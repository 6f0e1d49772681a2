// The times at which a link or a gate is busy, with what passes now and with bursts in closed form that will
// pass later.
//
// Spans do not overlap. They are few, sorted by time, and kept until they are over.
#pragma once
#include <algorithm>
#include <vector>

#include "sim/engine/time.hpp"

namespace aqueduct::sim {

class Calendar {
 public:
  /// The first time from `at` on at which it is free for `duration`.
  Time earliest(Time at, Time duration) const {
    for (const Span& span : spans_) {
      if (span.end <= at) continue;
      if (at + duration <= span.begin) break;
      at = span.end;
    }
    return at;
  }

  /// Marks [begin, end), which must be free, as busy. Forgets spans that are over by `now`.
  void take(Time now, Time begin, Time end) {
    until_ = std::max(until_, end);
    std::erase_if(spans_, [now](const Span& span) { return span.end <= now; });
    auto next = std::ranges::find_if(spans_, [begin](const Span& span) { return span.begin >= begin; });
    if (next != spans_.begin() && std::prev(next)->end == begin) {
      std::prev(next)->end = end;
    } else {
      spans_.insert(next, {begin, end});
    }
  }

  /// The end of the last known span.
  Time until() const { return until_; }

 private:
  struct Span {
    Time begin, end;
  };

  Time until_ = 0;
  std::vector<Span> spans_;
};

}  // namespace aqueduct::sim
