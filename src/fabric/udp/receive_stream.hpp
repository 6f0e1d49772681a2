// The receiving end of a stream: puts parts in order, whatever they come in and how often, and hands out what
// is contiguous.
//
// Usually a part comes in its turn and holds whole records, which are then read where they lie. What comes
// early is kept in a ring; what ends in the middle of a record waits for the rest. Not thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "fabric/udp/range_set.hpp"

namespace aqueduct::fabric::udp {

class ReceiveStream {
 public:
  /// `ring_bytes`: how far ahead a part may be; a power of two.
  explicit ReceiveStream(std::size_t ring_bytes) : ring_bytes_(ring_bytes) {}

  /// Everything before this has been handed out or waits for the rest of its record.
  std::uint64_t expected() const { return expected_; }

  /// Gives the memory back in which nothing waits.
  void release_memory() {
    if (partial_.empty()) partial_ = std::vector<std::byte>();
    early_.release_memory();
  }
  std::size_t memory_bytes() const {
    return partial_.capacity() + early_.memory_bytes() + (ring_ ? ring_bytes_ : 0);
  }

  /// Whether this part may be fed: it is not farther ahead than there is room.
  bool has_room_for(const Range& part) const { return part.end <= expected_ + ring_bytes_; }

  /// Takes a part. `consume(bytes)` is given contiguous bytes and answers how many of them it has used: all
  /// but an incomplete record at the end. Bytes that it is given stay valid as long as those of the part, or,
  /// if they had to be put together, as long as what is then added to `kept`. True if the part was new.
  template <class Consume>
  bool feed(std::uint64_t offset, std::span<const std::byte> data, Consume&& consume,
            std::vector<std::vector<std::byte>>& kept) {
    const Range part{offset, offset + data.size()};
    if (part.end <= expected_) return false;
    if (offset <= expected_ && early_.empty()) {
      data = data.subspan(static_cast<std::size_t>(expected_ - offset));
      expected_ = part.end;
      if (partial_.empty()) {
        const std::size_t used = consume(data);
        partial_.assign(data.begin() + static_cast<std::ptrdiff_t>(used), data.end());
        return true;
      }
      partial_.insert(partial_.end(), data.begin(), data.end());
      consume_partial(consume, kept);
      return true;
    }
    bool is_new = false;
    if (!ring_) ring_ = std::make_unique_for_overwrite<std::byte[]>(ring_bytes_);
    early_.add({std::max(part.begin, expected_), part.end}, [&](const Range& fresh) {
      is_new = true;
      copy_in(fresh.begin, data.data() + (fresh.begin - offset), static_cast<std::size_t>(fresh.size()));
    });
    if (early_.front().begin != expected_) return is_new;
    const Range ready = early_.front();
    early_.remove(ready);
    copy_out(ready);
    expected_ = ready.end;
    if (early_.empty()) ring_.reset();
    consume_partial(consume, kept);
    return is_new;
  }

 private:
  template <class Consume>
  void consume_partial(Consume&& consume, std::vector<std::vector<std::byte>>& kept) {
    const std::size_t used = consume(std::span<const std::byte>(partial_));
    if (used == 0) return;
    std::vector<std::byte> rest(partial_.begin() + static_cast<std::ptrdiff_t>(used), partial_.end());
    kept.push_back(std::move(partial_));
    partial_ = std::move(rest);
  }
  void copy_in(std::uint64_t offset, const std::byte* bytes, std::size_t count) {
    const std::size_t at = static_cast<std::size_t>(offset) & (ring_bytes_ - 1);
    const std::size_t first = std::min(count, ring_bytes_ - at);
    std::memcpy(ring_.get() + at, bytes, first);
    std::memcpy(ring_.get(), bytes + first, count - first);
  }
  void copy_out(const Range& range) {
    const std::size_t at = static_cast<std::size_t>(range.begin) & (ring_bytes_ - 1);
    const auto count = static_cast<std::size_t>(range.size());
    const std::size_t first = std::min(count, ring_bytes_ - at);
    partial_.insert(partial_.end(), ring_.get() + at, ring_.get() + at + first);
    partial_.insert(partial_.end(), ring_.get(), ring_.get() + (count - first));
  }

  std::size_t ring_bytes_;
  std::uint64_t expected_ = 0;
  std::vector<std::byte> partial_;  // the beginning of a record
  RangeSet early_;                  // what the ring holds
  std::unique_ptr<std::byte[]> ring_;
};

}  // namespace aqueduct::fabric::udp
