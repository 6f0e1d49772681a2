// A set of whole numbers kept as ranges: which bytes of a stream or payload have come, were acknowledged, or
// must be sent again. Few ranges at a time: they lie sorted in one vector. Not thread-safe.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace aqueduct::fabric::udp {

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< behind the last

  std::uint64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

class RangeSet {
 public:
  bool empty() const { return ranges_.empty(); }
  const std::vector<Range>& ranges() const { return ranges_; }
  const Range& front() const { return ranges_.front(); }
  bool contains(std::uint64_t number) const {
    const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), number,
                                         [](std::uint64_t at, const Range& have) { return at < have.begin; });
    return behind != ranges_.begin() && number < (behind - 1)->end;
  }
  void clear() { ranges_.clear(); }
  /// Gives its memory back if there is nothing in it.
  void release_memory() {
    if (ranges_.empty()) ranges_ = std::vector<Range>();
  }
  std::size_t memory_bytes() const { return ranges_.capacity() * sizeof(Range); }

  /// Adds `range`; calls `visit(part)` for each part of it that was not there, in order.
  template <class Visit>
  void add(Range range, Visit&& visit) {
    if (range.begin >= range.end) return;
    // In order is the usual case.
    if (!ranges_.empty() && ranges_.back().end == range.begin) {
      ranges_.back().end = range.end;
      visit(range);
      return;
    }
    const auto first = std::lower_bound(ranges_.begin(), ranges_.end(), range.begin,
                                        [](const Range& have, std::uint64_t at) { return have.end < at; });
    auto last = first;
    Range merged = range;
    std::uint64_t at = range.begin;
    for (; last != ranges_.end() && last->begin <= range.end; ++last) {
      if (at < last->begin) visit(Range{at, last->begin});
      at = std::max(at, last->end);
      merged.begin = std::min(merged.begin, last->begin);
      merged.end = std::max(merged.end, last->end);
    }
    if (at < range.end) visit(Range{at, range.end});
    if (first == last) {
      ranges_.insert(first, merged);
      return;
    }
    *first = merged;
    ranges_.erase(first + 1, last);
  }
  void add(Range range) {
    add(range, [](const Range&) {});
  }

  void remove(Range range) {
    if (range.begin >= range.end) return;
    std::size_t i = 0;
    while (i < ranges_.size() && ranges_[i].end <= range.begin) ++i;
    while (i < ranges_.size() && ranges_[i].begin < range.end) {
      Range& have = ranges_[i];
      if (have.begin < range.begin && have.end > range.end) {
        const Range rest{range.end, have.end};
        have.end = range.begin;
        ranges_.insert(ranges_.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
        return;
      }
      if (have.begin < range.begin) {
        have.end = range.begin;
        ++i;
      } else if (have.end > range.end) {
        have.begin = range.end;
        return;
      } else {
        ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  /// Takes at most `most` from the first range out of the set.
  Range take_first(std::uint64_t most) {
    Range& first = ranges_.front();
    const Range taken{first.begin, std::min(first.end, first.begin + most)};
    first.begin = taken.end;
    if (first.begin == first.end) ranges_.erase(ranges_.begin());
    return taken;
  }

 private:
  std::vector<Range> ranges_;
};

}  // namespace aqueduct::fabric::udp
