// Memory of one collective while it runs: taken piece by piece, given back all at once, and kept for the
// next.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::extended::collectives {

class Arena {
 public:
  /// Aligned to a cache line; contents undefined. Valid until clear().
  std::byte* take(std::size_t bytes) {
    bytes = round_up(bytes, kCacheLine);
    while (current_ < blocks_.size()) {
      if (bytes <= blocks_[current_].bytes - used_) {
        std::byte* taken = blocks_[current_].memory.get() + used_;
        used_ += bytes;
        return taken;
      }
      ++current_;
      used_ = 0;
    }
    const std::size_t size = std::max(bytes, blocks_.empty() ? kFirstBlock : kLeastBlock);
    blocks_.push_back({std::unique_ptr<std::byte[], Free>(
                           static_cast<std::byte*>(::operator new[](size, std::align_val_t{kCacheLine}))),
                       size});
    used_ = bytes;
    return blocks_.back().memory.get();
  }

  /// Ends all pieces. Keeps the memory that small collectives need, and gives the rest back to the system.
  void clear() {
    std::erase_if(blocks_, [](const Block& block) { return block.bytes > kMostKept; });
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    current_ = 0;
    used_ = 0;
  }

 private:
  // Enough for the rounds of a short vector, which are all that most ranks of a simulation ever need.
  static constexpr std::size_t kFirstBlock = 2048;
  static constexpr std::size_t kLeastBlock = std::size_t{16} << 10;
  static constexpr std::size_t kMostKept = std::size_t{256} << 10;

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{kCacheLine}); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> memory;
    std::size_t bytes;
  };

  std::vector<Block> blocks_;
  std::size_t current_ = 0;
  std::size_t used_ = 0;
};

}  // namespace aqueduct::extended::collectives
