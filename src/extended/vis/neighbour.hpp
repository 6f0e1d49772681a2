// Transfers with a neighbour whose two sides have the same shape: copied in one pass, without an operation.
//
// Each function answers whether it has copied everything. If not, because something is not in the part of
// the neighbour's memory that `peer` describes or because the sides differ, some may have been copied; the
// caller then does the whole transfer another way, which copies the same bytes again or reports the error.
#pragma once
#include "aqueduct/detail/reach.h"
#include "extended/operation.hpp"
#include "extended/vis/copy.hpp"
#include "extended/vis/vis.hpp"

namespace aqueduct::extended::vis {

/// The way from a neighbour's addresses to ours, for one direction of transfer.
template <OpKind kKind>
struct Near {
  std::uintptr_t base, size;
  std::ptrdiff_t to_shift, from_shift;

  explicit Near(const aq_peer_view_& peer)
      : base(peer.base_),
        size(peer.size_),
        to_shift(kKind == OpKind::kPut ? peer.shift_ : 0),
        from_shift(kKind == OpKind::kPut ? 0 : peer.shift_) {}

  /// Which of both is remote, and whether that lies in the peer's memory (see aq_reach_).
  static const std::byte* remote(const std::byte* to, const std::byte* from) {
    return kKind == OpKind::kPut ? to : from;
  }
  bool holds(const std::byte* address, std::size_t bytes) const {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - base;
    return static_cast<std::intptr_t>(offset | bytes | (size - offset - bytes)) >= 0;
  }
};

template <OpKind kKind>
bool copy_near(const aq_peer_view_& peer, MemvecList to, MemvecList from) {
  if (to.count != from.count) return false;
  const Near<kKind> near(peer);
  for (std::size_t i = 0; i < to.count; ++i) {
    const Piece to_piece = to.piece(i), from_piece = from.piece(i);
    const std::size_t bytes = to_piece.bytes;
    const bool holds = near.holds(near.remote(to_piece.address, from_piece.address), bytes);
    if (bytes != from_piece.bytes || !holds) [[unlikely]]
      return false;
    copy_piece(to_piece.address + near.to_shift, from_piece.address + near.from_shift, bytes);
  }
  return true;
}

// Arguments that fit into registers: to gather them in memory costs as much as a piece.
template <OpKind kKind, SizeClass kSize>
[[gnu::noinline]] bool copy_indexed_near(const aq_peer_view_& peer, void* const* to, void* const* from,
                                         std::size_t count, std::size_t bytes) {
  const Near<kKind> near(peer);
  for (std::size_t i = 0; i < count; ++i) {
    auto* const to_piece = static_cast<std::byte*>(to[i]);
    const auto* const from_piece = static_cast<const std::byte*>(from[i]);
    if (!near.holds(near.remote(to_piece, from_piece), bytes)) [[unlikely]]
      return false;
    copy_element<kSize>(to_piece + near.to_shift, from_piece + near.from_shift, bytes);
  }
  return true;
}

template <OpKind kKind>
[[gnu::always_inline]] inline bool copy_near(const aq_peer_view_& peer, const IndexedList& to,
                                             const IndexedList& from) {
  const std::size_t bytes = to.length;
  if (to.count != from.count || bytes != from.length) return false;
  const auto copy = bytes == 8                 ? copy_indexed_near<kKind, SizeClass{8}>
                    : bytes <= kMostSmallBytes ? copy_indexed_near<kKind, kSmall>
                                               : copy_indexed_near<kKind, kLarge>;
  return copy(peer, to.entries, from.entries, to.count, bytes);
}

template <OpKind kKind>
bool copy_near(const aq_peer_view_& peer, const StridedTransfer& strided) {
  const Near<kKind> near(peer);
  auto* const to = static_cast<std::byte*>(strided.to);
  const auto* const from = static_cast<const std::byte*>(strided.from);
  // Inner levels that are contiguous on both sides; often that is all there is.
  std::size_t element = strided.element, level = 0;
  for (; level < strided.levels; ++level) {
    const std::size_t count = strided.counts[level];
    const auto stride = static_cast<std::ptrdiff_t>(element);
    const bool continues = strided.to_strides[level] == stride && strided.from_strides[level] == stride;
    if (count != 1 && !continues) break;
    if (__builtin_mul_overflow(element, count, &element)) return false;
  }
  if (element == 0) return false;
  if (level == strided.levels) {
    if (!near.holds(near.remote(to, from), element)) return false;
    copy_piece(to + near.to_shift, from + near.from_shift, element);
    return true;
  }
  StridedShape<2> shape(element);
  for (; level < strided.levels; ++level) {
    if (!shape.add(strided.counts[level], {strided.to_strides[level], strided.from_strides[level]})) {
      return false;
    }
  }
  if (shape.bytes() == 0) return false;  // nothing, or too much
  const Extent extent = extent_of(shape, kKind == OpKind::kPut ? kTo : kFrom);
  if (extent.too_large) return false;
  const auto bytes = static_cast<std::size_t>(extent.high) - static_cast<std::size_t>(extent.low);
  if (!near.holds(near.remote(to, from) + extent.low, bytes)) return false;
  copy_strided(shape, to + near.to_shift, from + near.from_shift);
  return true;
}

}  // namespace aqueduct::extended::vis
