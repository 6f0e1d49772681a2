// The allocator of the symmetric heap: the same calls in the same order give the same offsets on every PE,
// because nothing but the calls decides. First fit by address; blocks that are freed are merged with free
// neighbours. What it knows is kept outside of the heap, where stray writes do not reach.
#pragma once
#include <cstddef>
#include <map>

namespace aqshmem {

class Heap {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kAlignment = 64;

  explicit Heap(std::size_t bytes = 0) {
    if (bytes) free_[0] = bytes;
  }

  /// Offset of a new block, or kNone. `alignment` is a power of two.
  std::size_t allocate(std::size_t bytes, std::size_t alignment = kAlignment);
  /// A block of another size in place of the one that begins at `offset`: elsewhere, or, if there is no room
  /// beside it, where it was and around. The contents are the caller's to move. kNone, and nothing has
  /// changed, if there is no room.
  std::size_t reallocate(std::size_t offset, std::size_t bytes);
  /// False if no block begins there.
  bool release(std::size_t offset);
  /// The bytes that were asked for, of the block that begins there; 0 if none does.
  std::size_t bytes_of(std::size_t offset) const;
  /// Whether the whole range is inside one block.
  bool holds(std::size_t offset, std::size_t bytes) const;
  std::size_t free_bytes() const;

 private:
  struct Block {
    std::size_t asked;
    std::size_t taken;
  };
  std::map<std::size_t, std::size_t> free_;
  std::map<std::size_t, Block> used_;
};

}  // namespace aqshmem
