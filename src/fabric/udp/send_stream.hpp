// The sending end of a stream of bytes: what was appended and not yet acknowledged, in a ring, and which of
// it is to be sent next. Parts that were lost come before new ones. Not thread-safe.
//
//   acknowledged | sent, unknown or to be sent again | not sent yet | room
//              base_                               next_          end_
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "fabric/udp/range_set.hpp"

namespace aqueduct::fabric::udp {

class SendStream {
 public:
  /// `most_bytes` is a power of two. The ring grows up to that as it is needed.
  explicit SendStream(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  std::size_t room() const { return most_bytes_ - static_cast<std::size_t>(end_ - base_); }
  std::uint64_t base() const { return base_; }
  std::uint64_t end() const { return end_; }
  bool is_empty() const { return end_ == base_; }
  /// What has never been sent.
  std::uint64_t unsent() const { return end_ - next_; }
  bool has_lost() const { return !lost_.empty(); }

  /// Gives its memory back if nothing waits here; what is appended next takes some again.
  void release_memory() {
    if (!is_empty()) return;
    ring_.reset();
    ring_bytes_ = 0;
    lost_.release_memory();
    acknowledged_.release_memory();
  }
  std::size_t memory_bytes() const {
    return ring_bytes_ + lost_.memory_bytes() + acknowledged_.memory_bytes();
  }

  /// There must be room.
  void append(const std::byte* bytes, std::size_t count) {
    if (count == 0) return;
    if (end_ - base_ + count > ring_bytes_) grow(static_cast<std::size_t>(end_ - base_) + count);
    copy_in(end_, bytes, count);
    end_ += count;
  }

  /// The part to send next: at most `most` bytes, none of them at or behind `limit` unless they were sent
  /// before. Empty if there is none. The caller sends it.
  Range take(std::uint64_t most, std::uint64_t limit) {
    if (most == 0) return {};
    if (!lost_.empty()) return lost_.take_first(most);
    const std::uint64_t stop = std::min({end_, limit, next_ + most});
    if (stop <= next_) return {};
    const Range range{next_, stop};
    next_ = stop;
    return range;
  }

  void copy_out(const Range& range, std::byte* to) const {
    const std::size_t at = static_cast<std::size_t>(range.begin) & (ring_bytes_ - 1);
    const auto count = static_cast<std::size_t>(range.size());
    const std::size_t first = std::min(count, ring_bytes_ - at);
    std::memcpy(to, ring_.get() + at, first);
    std::memcpy(to + first, ring_.get(), count - first);
  }

  void acknowledge(const Range& range) {
    if (range.end <= base_) return;
    lost_.remove(range);
    if (range.begin <= base_ && acknowledged_.empty()) {
      base_ = range.end;
      return;
    }
    acknowledged_.add({std::max(range.begin, base_), range.end});
    if (acknowledged_.front().begin == base_) {
      base_ = acknowledged_.front().end;
      acknowledged_.remove(acknowledged_.front());
    }
  }

  /// To be sent again, but for what has been acknowledged.
  void lose(const Range& range) {
    if (range.end <= base_) return;
    lost_.add({std::max(range.begin, base_), range.end});
    for (const Range& known : acknowledged_.ranges()) lost_.remove(known);
  }

 private:
  void copy_in(std::uint64_t offset, const std::byte* bytes, std::size_t count) {
    const std::size_t at = static_cast<std::size_t>(offset) & (ring_bytes_ - 1);
    const std::size_t first = std::min(count, ring_bytes_ - at);
    std::memcpy(ring_.get() + at, bytes, first);
    std::memcpy(ring_.get(), bytes + first, count - first);
  }
  void grow(std::size_t need) {
    constexpr std::size_t kFirst = 512;
    std::size_t bytes = std::max(ring_bytes_, std::min(kFirst, most_bytes_));
    while (bytes < need) bytes *= 2;
    const std::unique_ptr<std::byte[]> old = std::move(ring_);
    const std::size_t old_bytes = ring_bytes_;
    ring_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    ring_bytes_ = bytes;
    for (std::uint64_t at = base_; at < end_;) {
      const std::size_t from = static_cast<std::size_t>(at) & (old_bytes - 1);
      const std::size_t part = std::min<std::size_t>(old_bytes - from, static_cast<std::size_t>(end_ - at));
      copy_in(at, old.get() + from, part);
      at += part;
    }
  }

  std::size_t most_bytes_;
  std::size_t ring_bytes_ = 0;
  std::unique_ptr<std::byte[]> ring_;
  std::uint64_t base_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
  RangeSet lost_;
  RangeSet acknowledged_;  // beyond base_
};

}  // namespace aqueduct::fabric::udp
