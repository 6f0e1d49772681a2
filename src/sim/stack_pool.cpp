#include "sim/stack_pool.hpp"

#include <sys/mman.h>

#include "base/fatal.hpp"
#include "base/types.hpp"

namespace aqueduct::sim {

StackPool::StackPool(std::size_t stack_bytes) : stack_bytes_(round_up(stack_bytes, kPage)) {}

StackPool::~StackPool() {
  for (void* block : blocks_) ::munmap(block, kStacksPerBlock * (stack_bytes_ + kPage));
}

Stack StackPool::take() {
  if (free_.empty()) {
    const std::size_t pitch = stack_bytes_ + kPage;
    void* block = ::mmap(nullptr, kStacksPerBlock * pitch, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (block == MAP_FAILED) fatal("simulation", "no address space for another %zu stacks", kStacksPerBlock);
    blocks_.push_back(block);
    for (std::size_t i = kStacksPerBlock; i-- > 0;) {
      auto* guard = static_cast<std::byte*>(block) + i * pitch;
      if (::mprotect(guard, kPage, PROT_NONE) != 0) {
        fatal("simulation", "the system allows no more guarded stacks (see vm.max_map_count)");
      }
      free_.push_back(guard + pitch);
    }
  }
  void* top = free_.back();
  free_.pop_back();
  return {top, stack_bytes_};
}

}  // namespace aqueduct::sim
