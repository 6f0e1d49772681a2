#include "extended/vis/vis.hpp"

#include "base/fatal.hpp"
#include "core/segment.hpp"
#include "extended/device/device_rma.hpp"
#include "extended/extended.hpp"
#include "extended/vis/copy.hpp"
#include "extended/vis/packed.hpp"
#include "world/work.hpp"

namespace aqueduct::extended::vis {
namespace {

// Calls `move(to, from, bytes)` for each piece that is contiguous on both sides.
template <class To, class From, class Move>
void for_each_common_piece(const To& to, const From& from, Move&& move) {
  auto to_walk = to.walk({});
  auto from_walk = from.walk({});
  while (to_walk.piece().bytes != 0) {
    const std::size_t bytes = std::min(to_walk.piece().bytes, from_walk.piece().bytes);
    move(to_walk.piece().address, from_walk.piece().address, bytes);
    to_walk.advance(bytes);
    from_walk.advance(bytes);
  }
}

template <class List>
void check_pieces(Thread& thread, const VisTransfer& transfer, const List& remote) {
  for (std::size_t i = 0; i < remote.count; ++i) {
    const Piece piece = remote.piece(i);
    check_target(transfer.where, thread, transfer.target, piece.address, piece.bytes, transfer.endpoint);
  }
}

bool may_reach(Thread& thread) { return !thread.rank.options().reference_only; }

// How far to shift an address in the target's segment to reach it from here, if that is possible at all.
struct Reached {
  bool is = false;
  std::ptrdiff_t shift = 0;
};
Reached reach(Thread& thread, const VisTransfer& transfer, const Piece& piece) {
  if (!may_reach(thread)) return {};
  void* here =
      core::reach(thread.rank.objects(), transfer.target, piece.address, piece.bytes, transfer.endpoint);
  return {here != nullptr, here ? static_cast<std::byte*>(here) - piece.address : 0};
}

// Of pieces it is enough to ask for one, because all lie in the one segment; unless they may lie anywhere.
template <class List>
Reached reach_all(Thread& thread, const VisTransfer& transfer, const List& remote) {
  if (!thread.rank.objects().reaches_everything(transfer.endpoint))
    return reach(thread, transfer, remote.walk({}).piece());
  Reached all;
  for (std::size_t i = 0; i < remote.count; ++i) {
    const Piece piece = remote.piece(i);
    if (piece.bytes == 0) continue;
    const Reached one = reach(thread, transfer, piece);
    if (!one.is || (all.is && all.shift != one.shift)) return {};
    all = one;
  }
  return all;
}

std::size_t max_chunk(Thread& thread, OpKind kind) {
  const VisSettings& settings = ops(thread.rank).vis;
  return kind == OpKind::kPut ? settings.put_max_chunk : settings.get_max_chunk;
}

// A put or get for every common piece.
template <class To, class From>
Started start_pieces(Thread& thread, VisTransfer transfer, const To& to, const From& from, Pending& pending) {
  Started all = Started::kDone;
  bool refused = false;
  for_each_common_piece(to, from, [&](std::byte* piece_to, const std::byte* piece_from, std::size_t bytes) {
    if (refused) return;
    const auto start = transfer.kind == OpKind::kPut ? start_put : start_get;
    const Started one = start(transfer.where, thread, transfer.target, piece_to, piece_from, bytes, pending,
                              transfer.flags, transfer.endpoint);
    refused = one == Started::kNotNow;  // only the first can be
    if (one == Started::kStarted) all = one;
    transfer.flags &= ~gex_Flags_t{GEX_FLAG_IMMEDIATE};
  });
  return refused ? Started::kNotNow : all;
}

// Whether a side may lie on a device: then there is a put or get for every common piece, and the source
// belongs to the library until all are complete.
bool concerns_device(Thread& thread, const VisTransfer& transfer, const void* local) {
  return (transfer.endpoint | transfer.local) != 0 &&
         device_memory::concerns_device(thread, {transfer.target, transfer.endpoint, transfer.local}, local);
}

template <class To, class From>
Started start_device_pieces(Thread& thread, VisTransfer transfer, const To& to, const From& from,
                            Pending& pending) {
  const core::Peer peer{transfer.target, transfer.endpoint, transfer.local};
  Started all = Started::kDone;
  bool refused = false;
  for_each_common_piece(to, from, [&](std::byte* piece_to, const std::byte* piece_from, std::size_t bytes) {
    if (refused) return;
    const Started one =
        transfer.kind == OpKind::kPut
            ? device_memory::start_put(transfer.where, thread, peer, piece_to, piece_from, bytes, pending,
                                       transfer.flags, conduit::Reuse::kWhenDone)
            : device_memory::start_get(transfer.where, thread, peer, piece_to, piece_from, bytes, pending,
                                       transfer.flags);
    refused = one == Started::kNotNow;  // only the first can be
    if (one == Started::kStarted) all = one;
    transfer.flags &= ~gex_Flags_t{GEX_FLAG_IMMEDIATE};
  });
  return refused ? Started::kNotNow : all;
}

// In messages, or piece by piece if the pieces have `typical` bytes.
template <class Description>
Started start_remote(Thread& thread, const VisTransfer& transfer, const Description& to,
                     const Description& from, std::size_t typical, Pending& pending) {
  if (typical > max_chunk(thread, transfer.kind)) {
    return start_pieces(thread, transfer, to, from, pending);
  }
  return transfer.kind == OpKind::kPut
             ? packed_put(transfer.where, thread, transfer.target, to, from, pending, transfer.flags)
             : packed_get(transfer.where, thread, transfer.target, to, from, pending, transfer.flags);
}

template <class List>
Started start_list(Thread& thread, const VisTransfer& transfer, const List& to, const List& from,
                   Pending& pending) {
  const std::size_t bytes = to.bytes();
  if (bytes != from.bytes()) {
    fatal(transfer.where, "dstlist has %zu bytes, but srclist %zu", bytes, from.bytes());
  }
  if (bytes == 0) return Started::kDone;
  const bool is_put = transfer.kind == OpKind::kPut;
  const List& remote = is_put ? to : from;
  check_pieces(thread, transfer, remote);
  if (concerns_device(thread, transfer, (is_put ? from : to).walk({}).piece().address)) [[unlikely]]
    return start_device_pieces(thread, transfer, to, from, pending);
  if (const Reached reached = reach_all(thread, transfer, remote); reached.is) {
    world::spend(world::kNeighbourCopy, bytes);
    const std::ptrdiff_t to_shift = is_put ? reached.shift : 0, from_shift = is_put ? 0 : reached.shift;
    for_each_common_piece(to, from, [&](std::byte* piece_to, const std::byte* piece_from, std::size_t size) {
      copy_piece(piece_to + to_shift, piece_from + from_shift, size);
    });
    return Started::kDone;
  }
  return start_remote(thread, transfer, to, from, bytes / std::max(to.count, from.count), pending);
}

[[noreturn]] void too_large(const VisTransfer& transfer) {
  fatal(transfer.where, "elemsz, count and strides describe more than an address space holds");
}

}  // namespace

Started start_vector(Thread& thread, const VisTransfer& transfer, MemvecList to, MemvecList from,
                     Pending& pending) {
  return start_list(thread, transfer, to, from, pending);
}

Started start_indexed(Thread& thread, const VisTransfer& transfer, IndexedList to, IndexedList from,
                      Pending& pending) {
  return start_list(thread, transfer, to, from, pending);
}

Started start_strided(Thread& thread, const VisTransfer& transfer, const StridedTransfer& strided,
                      Pending& pending) {
  StridedShape<2> shape(strided.element);
  for (std::size_t level = 0; level < strided.levels; ++level) {
    if (!shape.add(strided.counts[level], {strided.to_strides[level], strided.from_strides[level]})) {
      too_large(transfer);
    }
  }
  if (shape.bytes() == 0) too_large(transfer);
  const bool is_put = transfer.kind == OpKind::kPut;
  auto* to = static_cast<std::byte*>(strided.to);
  auto* from = static_cast<std::byte*>(const_cast<void*>(strided.from));

  const Extent extent = extent_of(shape, is_put ? kTo : kFrom);
  if (extent.too_large) too_large(transfer);
  const Piece remote{(is_put ? to : from) + extent.low, static_cast<std::size_t>(extent.high - extent.low)};
  check_target(transfer.where, thread, transfer.target, remote.address, remote.bytes, transfer.endpoint);
  const bool is_device = concerns_device(thread, transfer, is_put ? from : to);
  if (const Reached reached = is_device ? Reached{} : reach(thread, transfer, remote); reached.is) {
    world::spend(world::kNeighbourCopy, shape.bytes());
    copy_strided(shape, is_put ? to + reached.shift : to, is_put ? from : from + reached.shift);
    return Started::kDone;
  }

  // Each side by itself may be simpler than both together.
  StridedRegion to_region{to, StridedShape<1>(strided.element)};
  StridedRegion from_region{from, StridedShape<1>(strided.element)};
  for (std::size_t level = 0; level < strided.levels; ++level) {
    if (!to_region.shape.add(strided.counts[level], {strided.to_strides[level]}) ||
        !from_region.shape.add(strided.counts[level], {strided.from_strides[level]})) {
      too_large(transfer);
    }
  }
  if (is_device) [[unlikely]]
    return start_device_pieces(thread, transfer, to_region, from_region, pending);
  return start_remote(thread, transfer, to_region, from_region, shape.element, pending);
}

}  // namespace aqueduct::extended::vis
