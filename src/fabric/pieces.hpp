// Walking through memory that lies in pieces.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "fabric/fabric.hpp"

namespace aqueduct::fabric {

inline std::size_t total_bytes(std::span<const Piece> pieces) {
  std::size_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

/// A place in a list of pieces, which belongs to the caller and must stay. The caller never asks for more
/// bytes than are left.
class PieceWalk {
 public:
  PieceWalk() = default;
  explicit PieceWalk(std::span<const Piece> pieces) : pieces_(pieces) {}

  /// Copies the next `bytes` of the pieces to `to`.
  void gather(std::byte* to, std::size_t bytes) {
    advance(bytes, [&](std::byte* here, std::size_t part) {
      std::memcpy(to, here, part);
      to += part;
    });
  }

  /// Copies `bytes` from `from` into the pieces.
  void scatter(const std::byte* from, std::size_t bytes) {
    advance(bytes, [&](std::byte* here, std::size_t part) {
      std::memcpy(here, from, part);
      from += part;
    });
  }

 private:
  template <class Visit>
  void advance(std::size_t bytes, Visit&& visit) {
    while (bytes != 0) {
      const Piece& piece = pieces_[index_];
      const std::size_t part = std::min(bytes, piece.bytes - offset_);
      if (part != 0) visit(static_cast<std::byte*>(piece.base) + offset_, part);
      bytes -= part;
      offset_ += part;
      if (offset_ == piece.bytes) {
        ++index_;
        offset_ = 0;
      }
    }
  }

  std::span<const Piece> pieces_;
  std::size_t index_ = 0;
  std::size_t offset_ = 0;
};

}  // namespace aqueduct::fabric
