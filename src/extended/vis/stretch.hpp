// The description of a stretch of remote memory as it travels in a message (see packed.hpp).
//
// Written by the rank that starts a transfer and read by the target, which trusts it as it trusts the address
// of any put: the initiator has checked it against the segment.
#pragma once
#include <algorithm>
#include <cstring>

#include "extended/vis/copy.hpp"

namespace aqueduct::extended::vis {

/// What the message's arguments say about it.
struct Stretch {
  std::int32_t levels = kList;    ///< of a strided shape, or kList
  std::size_t header_bytes = 0;   ///< the description
  std::size_t payload_bytes = 0;  ///< what it describes

  static constexpr std::int32_t kList = -1;
};

/// How much a message may hold. For a put, header and payload share it; a get's payload has the reply for
/// itself.
struct Room {
  std::size_t bytes = 0;
  bool is_shared = true;

  std::size_t left_for_payload(std::size_t header_bytes, std::size_t payload_bytes) const {
    const std::size_t used = payload_bytes + (is_shared ? header_bytes : 0);
    return header_bytes >= bytes || used >= bytes ? 0 : bytes - used;
  }
};

struct ListEntry {
  std::byte* address;
  std::uint64_t bytes;
};

struct StridedHeader {
  std::byte* base;
  std::uint64_t element;
  Position position;
};
struct StridedLevel {
  std::uint64_t count;
  std::int64_t stride;
};

/// Writes as many entries to `header` as the room allows, and advances the walk over them.
template <class Walk>
Stretch describe_as_list(Walk& walk, std::byte* header, const Room& room) {
  // Where a piece does not fit, less than this is not worth an entry.
  constexpr std::size_t kLeastPart = 64;
  Stretch stretch;
  while (walk.piece().bytes != 0) {
    const std::size_t header_bytes = stretch.header_bytes + sizeof(ListEntry);
    const std::size_t left = room.left_for_payload(header_bytes, stretch.payload_bytes);
    const ListEntry entry{walk.piece().address, std::min(walk.piece().bytes, left)};
    if (left == 0 || (left < walk.piece().bytes && left < kLeastPart && stretch.header_bytes != 0)) break;
    std::memcpy(header + stretch.header_bytes, &entry, sizeof entry);
    stretch.header_bytes = header_bytes;
    stretch.payload_bytes += entry.bytes;
    walk.advance(entry.bytes);
  }
  return stretch;
}

template <class Walk>
Stretch describe(Walk& walk, std::byte* header, const Room& room) {
  return describe_as_list(walk, header, room);
}

inline Stretch describe(StridedRegion::Walk& walk, std::byte* header, const Room& room) {
  const StridedRegion& region = walk.region();
  const unsigned levels = region.shape.levels;
  Stretch stretch{static_cast<std::int32_t>(levels), sizeof(StridedHeader) + levels * sizeof(StridedLevel),
                  0};
  if (stretch.header_bytes > room.bytes / 2) return describe_as_list(walk, header, room);
  const Position at = walk.position();
  const StridedHeader head{region.base, region.shape.element, at};
  std::memcpy(header, &head, sizeof head);
  for (unsigned level = 0; level < levels; ++level) {
    const StridedLevel dimension{region.shape.count[level], region.shape.stride[0][level]};
    std::memcpy(header + sizeof head + level * sizeof dimension, &dimension, sizeof dimension);
  }
  const std::size_t offset = at.index * region.shape.element + at.skip;
  stretch.payload_bytes =
      std::min(region.shape.bytes() - offset, room.left_for_payload(stretch.header_bytes, 0));
  const std::size_t after = offset + stretch.payload_bytes;
  walk.go_to({after / region.shape.element, after % region.shape.element});
  return stretch;
}

/// At the target: moves the payload to where the description says (unpack), or from there (pack).
template <class Move>
void move_described(const Stretch& stretch, const std::byte* header, Move&& move) {
  if (stretch.levels == Stretch::kList) {
    for (std::size_t at = 0; at < stretch.header_bytes; at += sizeof(ListEntry)) {
      ListEntry entry;
      std::memcpy(&entry, header + at, sizeof entry);
      move(Piece{entry.address, entry.bytes});
    }
    return;
  }
  StridedHeader head;
  std::memcpy(&head, header, sizeof head);
  StridedRegion region{head.base, StridedShape<1>(head.element)};
  region.shape.levels = static_cast<unsigned>(stretch.levels);
  for (unsigned level = 0; level < region.shape.levels; ++level) {
    StridedLevel dimension;
    std::memcpy(&dimension, header + sizeof head + level * sizeof dimension, sizeof dimension);
    region.shape.count[level] = dimension.count;
    region.shape.stride[0][level] = dimension.stride;
  }
  StridedRegion::Walk walk = region.walk(head.position);
  for (std::size_t left = stretch.payload_bytes; left != 0;) {
    const Piece piece{walk.piece().address, std::min(walk.piece().bytes, left)};
    move(piece);
    walk.advance(piece.bytes);
    left -= piece.bytes;
  }
}

}  // namespace aqueduct::extended::vis
