// Memory that is not contiguous, as a sequence of bytes.
//
// A description (MemvecList, IndexedList, StridedRegion) says where the bytes of one side of a transfer lie;
// both sides have as many, and the n-th of one goes to the n-th of the other. A walk goes over a description
// from any position, piece by piece. Descriptions of lists refer to the client's arrays, which stay valid
// until the operation is complete.
//
//   for (auto walk = list.walk({}); walk.piece().bytes != 0;) { use(walk.piece()); walk.advance(...); }
#pragma once
#include <cstddef>

#include "gasnetex.h"

namespace aqueduct::extended::vis {

struct Piece {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
};

/// Where in a description: so many bytes into its entry, or element, of that number.
struct Position {
  std::size_t index = 0;
  std::size_t skip = 0;
};

/// Over entries of which `Entries` knows the number and each piece.
template <class Entries>
class ListWalk {
 public:
  ListWalk(const Entries& entries, Position from) : entries_(entries), at_(from) { find_piece(); }

  /// What is left of the current piece; no bytes at the end.
  const Piece& piece() const { return piece_; }
  Position position() const { return at_; }

  /// Goes on by at most what is left of the piece.
  void advance(std::size_t bytes) {
    at_.skip += bytes;
    piece_.address += bytes;
    piece_.bytes -= bytes;
    if (piece_.bytes == 0) {
      at_ = {at_.index + 1, 0};
      find_piece();
    }
  }

 private:
  // Entries without bytes are passed over.
  void find_piece() {
    for (; at_.index < entries_.count; at_ = {at_.index + 1, 0}) {
      const Piece whole = entries_.piece(at_.index);
      if (whole.bytes > at_.skip) {
        piece_ = {whole.address + at_.skip, whole.bytes - at_.skip};
        return;
      }
    }
    piece_ = {};
  }

  Entries entries_;
  Position at_;
  Piece piece_;
};

struct MemvecList {
  const gex_Memvec_t* entries = nullptr;
  std::size_t count = 0;

  Piece piece(std::size_t index) const {
    return {static_cast<std::byte*>(entries[index].gex_addr), entries[index].gex_len};
  }
  ListWalk<MemvecList> walk(Position from) const { return {*this, from}; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += entries[i].gex_len;
    return sum;
  }
};

struct IndexedList {
  void* const* entries = nullptr;
  std::size_t count = 0;
  std::size_t length = 0;  ///< of every entry

  Piece piece(std::size_t index) const { return {static_cast<std::byte*>(entries[index]), length}; }
  ListWalk<IndexedList> walk(Position from) const { return {*this, from}; }
  std::size_t bytes() const { return count * length; }
};

}  // namespace aqueduct::extended::vis
