// When a link or a gate is taken: by what is passing, and by bursts in closed form that will.
//
// Spans do not overlap. They are kept until they are over, by time; there are few of them.
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

  /// Takes it, which is free then. What is over by `now` is forgotten.
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

  /// When it is free for good, as far as is known.
  Time until() const { return until_; }

 private:
  struct Span {
    Time begin, end;
  };

  Time until_ = 0;
  std::vector<Span> spans_;
};

}  // namespace aqueduct::sim
