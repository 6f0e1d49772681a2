// Zeroed memory in which only touched pages cost anything. It is cut from large blocks of address space,
// because the segments and tables of very many ranks would need more mappings than a process may have.
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

  /// Returns whole pages, which stay as long as this object. Null if there is no address space.
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
