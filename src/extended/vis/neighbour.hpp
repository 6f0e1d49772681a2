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
bool copy_memvecs(const aq_peer_view_& peer, const gex_Memvec_t* to, const gex_Memvec_t* from,
                  std::size_t count) {
  const Near<kKind> near(peer);
  for (std::size_t i = 0; i < count; ++i) {
    auto* const to_piece = static_cast<std::byte*>(to[i].gex_addr);
    const auto* const from_piece = static_cast<const std::byte*>(from[i].gex_addr);
    const std::size_t bytes = to[i].gex_len;
    if (bytes != from[i].gex_len || !near.holds(near.remote(to_piece, from_piece), bytes)) [[unlikely]]
      return false;
    copy_piece(to_piece + near.to_shift, from_piece + near.from_shift, bytes);
  }
  return true;
}

template <OpKind kKind, SizeClass kSize>
[[gnu::noinline]] bool copy_pieces_of(const aq_peer_view_& peer, void* const* to, void* const* from,
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
[[gnu::always_inline]] inline bool copy_pieces(const aq_peer_view_& peer, void* const* to, void* const* from,
                                               std::size_t count, std::size_t bytes) {
  if (bytes == 8) return copy_pieces_of<kKind, SizeClass{8}>(peer, to, from, count, bytes);
  if (bytes == 64) return copy_pieces_of<kKind, SizeClass{64}>(peer, to, from, count, bytes);
  if (bytes <= kMostSmallBytes) return copy_pieces_of<kKind, kSmall>(peer, to, from, count, bytes);
  return copy_pieces_of<kKind, kLarge>(peer, to, from, count, bytes);
}

/// Any number of dimensions that are contiguous on neither side.
template <OpKind kKind>
[[gnu::noinline]] bool copy_shape(const aq_peer_view_& peer, StridedTransfer strided) {
  StridedShape<2> shape(strided.element);
  for (std::size_t level = 0; level < strided.levels; ++level) {
    if (!shape.add(strided.counts[level], {strided.to_strides[level], strided.from_strides[level]})) {
      return false;
    }
  }
  if (shape.bytes() == 0) return false;  // nothing, or too much
  const Extent extent = extent_of(shape, kKind == OpKind::kPut ? kTo : kFrom);
  if (extent.too_large) return false;
  const auto bytes = static_cast<std::size_t>(extent.high) - static_cast<std::size_t>(extent.low);
  const Near<kKind> near(peer);
  auto* const to = static_cast<std::byte*>(strided.to);
  const auto* const from = static_cast<const std::byte*>(strided.from);
  if (!near.holds(near.remote(to, from) + extent.low, bytes)) return false;
  copy_strided(shape, to + near.to_shift, from + near.from_shift);
  return true;
}

/// Mostly the levels describe one piece, or one row of them. Neither needs memory for its description, which
/// would cost as much as a piece.
template <OpKind kKind>
[[gnu::always_inline]] inline bool copy_elements(const aq_peer_view_& peer, const StridedTransfer& strided) {
  const Near<kKind> near(peer);
  auto* const to = static_cast<std::byte*>(strided.to);
  const auto* const from = static_cast<const std::byte*>(strided.from);
  std::size_t element = strided.element, level = 0;
  for (; level < strided.levels; ++level) {
    const std::size_t count = strided.counts[level];
    if (count == 1) continue;
    const auto next = static_cast<std::ptrdiff_t>(element);
    if (strided.to_strides[level] != next || strided.from_strides[level] != next) break;
    if (__builtin_mul_overflow(element, count, &element)) return false;
  }
  if (element == 0) return false;
  if (level == strided.levels) {
    if (!near.holds(near.remote(to, from), element)) return false;
    copy_one(to + near.to_shift, from + near.from_shift, element);
    return true;
  }

  Row row{strided.counts[level], strided.to_strides[level], strided.from_strides[level]};
  while (++level < strided.levels) {
    const std::size_t count = strided.counts[level];
    if (count == 1) continue;
    const auto elements = static_cast<std::ptrdiff_t>(row.count);
    std::ptrdiff_t to_next, from_next;
    if (__builtin_mul_overflow(row.to_stride, elements, &to_next) || strided.to_strides[level] != to_next ||
        __builtin_mul_overflow(row.from_stride, elements, &from_next) ||
        strided.from_strides[level] != from_next)
      return copy_shape<kKind>(peer, strided);
    if (__builtin_mul_overflow(row.count, count, &row.count)) return false;
  }
  // From the first byte of the lowest element to the last one of the highest.
  const auto steps = static_cast<std::ptrdiff_t>(row.count - 1);
  std::ptrdiff_t span;
  std::size_t bytes, all;
  if (steps < 0 || __builtin_mul_overflow(element, row.count, &all) ||
      __builtin_mul_overflow(kKind == OpKind::kPut ? row.to_stride : row.from_stride, steps, &span) ||
      __builtin_add_overflow(span < 0 ? 0 - static_cast<std::size_t>(span) : static_cast<std::size_t>(span),
                             element, &bytes))
    return false;
  if (!near.holds(near.remote(to, from) + (span < 0 ? span : 0), bytes)) return false;
  copy_row(to + near.to_shift, from + near.from_shift, element, row.count, row.to_stride, row.from_stride);
  return true;
}

}  // namespace aqueduct::extended::vis
