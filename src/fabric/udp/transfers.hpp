// Larger payloads on their way: at the sender, which gathers them from its client's memory, and at the
// receiver, which puts every part in its place at once, in whatever order they come. Not thread-safe.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/udp/buffer_pool.hpp"
#include "fabric/udp/range_set.hpp"

namespace aqueduct::fabric::udp {

/// Calls `visit(base, bytes)` for the memory of [range) in `pieces`.
template <class Visit>
void for_each_part(std::span<const Piece> pieces, const Range& range, Visit&& visit) {
  std::uint64_t at = 0;
  for (const Piece& piece : pieces) {
    const std::uint64_t end = at + piece.bytes;
    if (at >= range.end) return;
    if (end > range.begin && piece.bytes != 0) {
      const std::uint64_t first = std::max(at, range.begin);
      visit(static_cast<std::byte*>(piece.base) + (first - at),
            static_cast<std::size_t>(std::min(end, range.end) - first));
    }
    at = end;
  }
}

/// A payload that goes beside the stream of messages. Its target says first how much of it to send; or the
/// message names its place, and then its header goes before it and nobody is asked.
struct OutgoingTransfer {
  std::uint64_t cookie = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t keep_bytes = 0;  ///< once it is_going; with the header where it is_placed
  bool is_going = false;
  bool is_placed = false;
  bool is_over = false;
  bool is_held = false;    ///< it waits for company
  bool is_copied = false;  ///< its payload lies in `copy`, or will when the first datagrams are built
  BufferPool::Buffer copy;
  Place place;
  std::vector<Piece> pieces;  ///< of what is kept; where it is_placed the header is the first
  std::vector<std::byte> header;
  std::uint64_t next = 0;  ///< what was never sent begins here
  RangeSet lost;
  RangeSet acknowledged;
  std::uint64_t acknowledged_bytes = 0;

  /// As if it were new, but for memory.
  void begin() {
    is_going = is_placed = is_over = is_held = is_copied = false;
    copy.reset();
    pieces.clear();
    header.clear();
    next = 0;
    lost.clear();
    acknowledged.clear();
    acknowledged_bytes = 0;
  }
  bool has_work() const { return is_going && !is_over && !is_held && (!lost.empty() || next < keep_bytes); }
  bool is_whole() const { return is_going && acknowledged_bytes == keep_bytes; }

  /// Where what take() answers begins.
  std::uint64_t begins_at() const { return lost.empty() ? next : lost.front().begin; }
  Range take(std::uint64_t most) {
    if (!lost.empty()) return lost.take_first(most);
    const Range range{next, std::min(keep_bytes, next + most)};
    next = range.end;
    return range;
  }
  void acknowledge(const Range& range) {
    lost.remove(range);
    acknowledged.add(range, [&](const Range& fresh) { acknowledged_bytes += fresh.size(); });
  }
  void lose(const Range& range) {
    lost.add(range);
    for (const Range& known : acknowledged.ranges()) lost.remove(known);
  }
};

/// Those of one link, in their order. What is dropped is used again, with its memory.
class OutgoingTransfers {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Counted from the first.
  OutgoingTransfer& operator[](std::size_t index) { return ring_[(first_ + index) & (ring_.size() - 1)]; }
  const OutgoingTransfer& operator[](std::size_t index) const {
    return ring_[(first_ + index) & (ring_.size() - 1)];
  }
  OutgoingTransfer& front() { return (*this)[0]; }
  OutgoingTransfer& back() { return (*this)[size_ - 1]; }

  OutgoingTransfer& add() {
    if (size_ == ring_.size()) grow();
    ++size_;
    back().begin();
    return back();
  }
  void drop_first() {
    ++first_;
    --size_;
  }
  void clear() { *this = {}; }
  /// Gives its memory back if there are none.
  void release_memory() {
    if (size_ == 0) clear();
  }
  std::size_t memory_bytes() const { return ring_.capacity() * sizeof(OutgoingTransfer); }

 private:
  void grow() {
    constexpr std::size_t kFirst = 4;
    std::vector<OutgoingTransfer> larger(ring_.empty() ? kFirst : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    ring_ = std::move(larger);
    first_ = 0;
  }

  std::vector<OutgoingTransfer> ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

/// Bytes that lie in several places, as many in each: the data of datagrams that came together.
struct AlikeParts {
  const std::byte* first = nullptr;
  std::size_t bytes = 0;   ///< in each place
  std::size_t stride = 0;  ///< from one to the next
  unsigned count = 0;

  std::uint64_t all_bytes() const { return std::uint64_t{count} * bytes; }
  /// Copies `most` of them, from the one at `at` on.
  void copy_out(std::uint64_t at, std::byte* to, std::size_t most) const {
    const std::byte* place = first + at / bytes * stride;
    auto before = static_cast<std::size_t>(at % bytes);
    while (most != 0) {
      const std::size_t now = std::min(most, bytes - before);
      std::memcpy(to, place + before, now);
      to += now;
      most -= now;
      place += stride;
      before = 0;
    }
  }
};

/// What has come of something that comes in parts.
class ReceivedParts {
 public:
  std::uint64_t bytes() const { return bytes_; }
  void clear() {
    ranges_.clear();
    bytes_ = 0;
  }
  /// Puts a part in its place. Bytes that have come before are not written again: the sender may have changed
  /// them since, and the memory may be in use.
  void land(std::span<const Piece> pieces, std::uint64_t offset, std::span<const std::byte> data) {
    land(pieces, offset, AlikeParts{data.data(), data.size(), data.size(), 1});
  }
  /// The same for several parts, the first of which begins there.
  void land(std::span<const Piece> pieces, std::uint64_t offset, const AlikeParts& parts) {
    ranges_.add({offset, offset + parts.all_bytes()}, [&](const Range& fresh) {
      std::uint64_t at = fresh.begin - offset;
      for_each_part(pieces, fresh, [&](std::byte* here, std::size_t bytes) {
        parts.copy_out(at, here, bytes);
        at += bytes;
      });
      bytes_ += fresh.size();
    });
  }

 private:
  RangeSet ranges_;
  std::uint64_t bytes_ = 0;
};

/// A payload that was accepted and comes in parts.
struct Landing {
  std::uint32_t transfer = 0;
  std::uint64_t keep_bytes = 0;
  std::uint64_t cookie = 0;
  std::vector<Piece> pieces;
  ReceivedParts received;
};

}  // namespace aqueduct::fabric::udp
