// Zeroed memory of which only what is touched costs anything, cut from large blocks of address space: the
// segments and tables of very many ranks would otherwise be more mappings than a process may have.
#pragma once
#include <cstddef>
#include <vector>

namespace aqueduct::sim {

class SparseMemory {
 public:
  SparseMemory() = default;
  ~SparseMemory();
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  /// Whole pages, which stay until this object is gone. Null if there is no address space.
  void* take(std::size_t bytes);

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 20;

  struct Block {
    std::byte* memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
};

}  // namespace aqueduct::sim
