#include "sim/engine/stack_pool.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <fstream>

#include "base/fatal.hpp"
#include "base/types.hpp"

namespace aqueduct::sim {
namespace {

/// The checked part of a red zone, next to the stack: frames that overflow leave return addresses and
/// registers there.
constexpr std::size_t kWatchedBytes = 1024;
static_assert(kWatchedBytes <= kPage);

}  // namespace

StackPool::StackPool(std::size_t stack_bytes, std::size_t most_guarded)
    : stack_bytes_(round_up(stack_bytes, kPage)), guards_left_(most_guarded) {}

StackPool::~StackPool() {
  for (std::byte* block : blocks_) ::munmap(block, kStacksPerBlock * (stack_bytes_ + kPage));
}

std::size_t StackPool::affordable_guards() {
  constexpr std::size_t kUsualMappings = 65530;
  constexpr std::size_t kMappingsPerGuard = 2;
  std::size_t mappings = 0;
  if (!(std::ifstream("/proc/sys/vm/max_map_count") >> mappings)) mappings = kUsualMappings;
  return mappings / 2 / kMappingsPerGuard;
}

Stack StackPool::take() {
  if (!free_.empty()) {
    const Stack stack = free_.back();
    free_.pop_back();
    return stack;
  }
  const std::size_t pitch = stack_bytes_ + kPage;
  if (uncut_ == 0) {
    void* block = ::mmap(nullptr, kStacksPerBlock * pitch, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (block == MAP_FAILED) fatal("simulation", "no address space for another %zu stacks", kStacksPerBlock);
    blocks_.push_back(static_cast<std::byte*>(block));
    uncut_ = kStacksPerBlock;
  }
  std::byte* const below = blocks_.back() + --uncut_ * pitch;
  bool guarded = guards_left_ != 0;
  if (guarded && ::mprotect(below, kPage, PROT_NONE) != 0) {
    guarded = false;  // other code has used up the mappings
    guards_left_ = 0;
  }
  if (guarded) --guards_left_;
  return {below + pitch, stack_bytes_, guarded};
}

bool StackPool::has_overflowed(const Stack& stack) {
  if (stack.guarded) return false;
  const std::byte* const watched = stack.bottom() - kWatchedBytes;
  std::uint64_t written = 0;
  for (std::size_t i = 0; i < kWatchedBytes; i += sizeof written) {
    std::uint64_t word;
    std::memcpy(&word, watched + i, sizeof word);
    written |= word;
  }
  return written != 0;
}

}  // namespace aqueduct::sim
