// Which member reads what of which other in a collective whose data is in shared memory, and in which pieces.
// A function of the request and the size of the team, so that all members know it.
//
// A member's source is one block, or one for each member; a reader takes its own of those. Pieces cut all
// blocks alike: piece i of a collective is the i-th range of every block.
//
// Reductions. The vector is one block. Where reading it all is little, or there are only two members, those
// that want the result read all vectors and combine them. Else they are split: of each piece every member
// combines one part of everybody's, and those that want the result gather the parts.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/types.hpp"
#include "extended/collectives/request.hpp"

namespace aqueduct::extended::collectives {

class BlockPattern {
 public:
  /// A reader of a reduction takes at most this from the others, unless it is split.
  static constexpr std::size_t kMostWhole = std::size_t{16} << 10;
  /// Sources up to this size are copied to a slot, wherever they lie: their owner need not wait for readers.
  static constexpr std::size_t kMostCopied = 1024;
  /// Pieces hold whole elements, of at most this size.
  static constexpr std::size_t kMostElement = 4096;

  BlockPattern() = default;
  /// `room`: the most bytes that a piece may have of all blocks together.
  BlockPattern(const Request& request, gex_Rank_t size, std::size_t room) : size_(size), root_(request.root) {
    kind_ = request.kind;
    bytes_ = request.bytes;
    has_block_for_each_ = kind_ == Kind::kScatter || kind_ == Kind::kExchange;
    if (request.is_reduction()) {
      element_bytes_ = request.combiner.element_bytes;
      is_split_ = size > 2 && (size - 1) * bytes_ > kMostWhole;
      piece_bytes_ = room / element_bytes_ * element_bytes_;
    } else {
      piece_bytes_ = has_block_for_each_ ? room / size / kCacheLine * kCacheLine : room;
    }
  }

  bool is_split() const { return is_split_; }
  std::uint64_t pieces() const {
    return bytes_ == 0 ? 1 : bytes_ / piece_bytes_ + (bytes_ % piece_bytes_ != 0);
  }
  /// Piece i of a block: where it starts, and how long it is.
  std::size_t piece_start(std::uint64_t i) const { return i * piece_bytes_; }
  std::size_t piece_length(std::uint64_t i) const { return std::min(piece_bytes_, bytes_ - piece_start(i)); }

  /// Whether others read the member's source; whether it reads those of others.
  bool is_source(gex_Rank_t member) const {
    return root_alone_writes() ? member == root_ : !root_alone_reads() || member != root_;
  }
  bool is_reader(gex_Rank_t member) const {
    return root_alone_writes() ? member != root_ : !root_alone_reads() || member == root_;
  }
  bool root_alone_reads() const {
    return kind_ == Kind::kGather || (kind_ == Kind::kReduceToOne && !is_split_);
  }
  /// Whether each byte of a source is read by one other member at most.
  bool has_one_reader() const { return size_ == 2 || has_block_for_each_ || is_split_ || root_alone_reads(); }
  /// Whether the member gets a reduction's result.
  bool gets_result(gex_Rank_t member) const { return kind_ == Kind::kReduceToAll || member == root_; }

  /// Whether the root offers its destination, and others write there what it would else read from them, one
  /// after the other.
  bool root_offers_destination() const {
    return kind_ == Kind::kGather ? bytes_ > kMostCopied : kind_ == Kind::kReduceToOne && is_split_;
  }

  std::size_t block_bytes() const { return bytes_; }
  std::size_t source_bytes() const { return blocks() * bytes_; }
  std::size_t blocks() const { return has_block_for_each_ ? size_ : 1; }
  /// Which block of a source is the reader's.
  std::size_t block_of(gex_Rank_t reader) const { return has_block_for_each_ ? reader : 0; }
  bool is_read_by_others(std::size_t block, gex_Rank_t source) const {
    return !has_block_for_each_ || block != source;
  }
  /// A block lies in its source, at the same distances in a slot, and what a reader takes from a source lies
  /// in its destination.
  std::size_t place_in_source(gex_Rank_t reader) const { return block_of(reader) * bytes_; }
  std::size_t place_in_slot(std::size_t block) const { return block * piece_bytes_; }
  std::size_t place_in_destination(gex_Rank_t source) const { return gathers() ? source * bytes_ : 0; }
  std::size_t destination_bytes() const { return gathers() ? size_ * bytes_ : bytes_; }

  /// The part of piece i that the member combines: bytes from `start` of the piece on.
  struct Part {
    std::size_t start;
    std::size_t bytes;
  };
  Part part(std::uint64_t i, gex_Rank_t member) const {
    const std::size_t all = piece_length(i);
    // Whole elements, and whole cache lines where that is possible.
    const std::size_t unit = kCacheLine % element_bytes_ == 0 ? std::size_t{kCacheLine} : element_bytes_;
    const std::size_t units = (all + unit - 1) / unit;
    const std::size_t each = (units + size_ - 1) / size_ * unit;
    const std::size_t start = std::min(all, member * each);
    return {start, std::min(each, all - start)};
  }

 private:
  bool gathers() const {
    return kind_ == Kind::kGather || kind_ == Kind::kGatherAll || kind_ == Kind::kExchange;
  }
  bool root_alone_writes() const { return kind_ == Kind::kBroadcast || kind_ == Kind::kScatter; }

  Kind kind_ = Kind::kBroadcast;
  bool has_block_for_each_ = false;
  bool is_split_ = false;
  gex_Rank_t size_ = 1;
  gex_Rank_t root_ = 0;
  std::size_t bytes_ = 0;
  std::size_t piece_bytes_ = 1;
  std::size_t element_bytes_ = 1;
};

}  // namespace aqueduct::extended::collectives
