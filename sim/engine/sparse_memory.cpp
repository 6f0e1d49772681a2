#include "sim/engine/sparse_memory.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/types.hpp"

namespace aqueduct::sim {

SparseMemory::~SparseMemory() {
  for (const Block& block : blocks_) ::munmap(block.memory, block.bytes);
}

void* SparseMemory::take(std::size_t bytes) {
  bytes = round_up(bytes, kPage);
  if (blocks_.empty() || blocks_.back().bytes - used_ < bytes) {
    const std::size_t block_bytes = std::max(bytes, kBlockBytes);
    void* memory = ::mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    blocks_.push_back({static_cast<std::byte*>(memory), block_bytes});
    used_ = 0;
  }
  std::byte* const taken = blocks_.back().memory + used_;
  used_ += bytes;
  return taken;
}

}  // namespace aqueduct::sim
