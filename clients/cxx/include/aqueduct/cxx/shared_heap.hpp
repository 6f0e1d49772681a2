// Memory in this rank's segment, which other ranks can put to and get from.
//
// Blocks have sizes in steps of 64 bytes and lie side by side; a block knows its size and that of the block
// before it, so that a freed one is joined with free neighbours. Free blocks are in lists by the power of two
// of their size; an allocation takes the first that is large enough. What is touched is what was allocated
// once: an untouched segment costs nothing. Any thread, also in handlers.
#ifndef AQUEDUCT_CXX_SHARED_HEAP_HPP_
#define AQUEDUCT_CXX_SHARED_HEAP_HPP_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "aqueduct/cxx/error.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

// A lock for a few instructions; nothing where there is one thread.
class SpinLock {
 public:
  void lock() noexcept {
    if constexpr (kThreads) {
      while (flag_.test_and_set(std::memory_order_acquire))
        ;
    }
  }
  void unlock() noexcept {
    if constexpr (kThreads) flag_.clear(std::memory_order_release);
  }

 private:
  std::atomic_flag flag_;
};

class SharedHeap {
 public:
  static constexpr std::size_t kStep = 64;

  // The memory stays the caller's, and is at least a few pages.
  void adopt(void* memory, std::size_t bytes) {
    Block* const first = new (memory) Block;
    first->size = bytes - kStep;
    Block* const end = after(first);  // never free, so that nobody joins it
    new (end) Block;
    end->size_before = first->size;
    put(first);
  }

  // Null if there is no room. Aligned to 64 bytes.
  void* allocate(std::size_t bytes) noexcept {
    if (bytes > SIZE_MAX / 2) return nullptr;
    const std::size_t size = (bytes + sizeof(Block) + kStep - 1) / kStep * kStep;
    const std::lock_guard lock(lock_);
    Block* const block = find(size);
    if (!block) return nullptr;
    take(block);
    if (block->size - size >= kStep) split(block, size);
    in_use_ += block->size;
    return block + 1;
  }

  void release(void* memory) noexcept {
    Block* block = static_cast<Block*>(memory) - 1;
    const std::lock_guard lock(lock_);
    in_use_ -= block->size;
    if (Block* const next = after(block); next->is_free) {
      take(next);
      block->size += next->size;
    }
    if (block->size_before) {
      Block* const before = reinterpret_cast<Block*>(reinterpret_cast<char*>(block) - block->size_before);
      if (before->is_free) {
        take(before);
        before->size += block->size;
        block = before;
      }
    }
    after(block)->size_before = block->size;
    put(block);
  }

  std::size_t bytes_in_use() const noexcept { return in_use_; }

 private:
  struct alignas(kStep) Block {
    std::size_t size = 0;         // with this header
    std::size_t size_before = 0;  // of the block that ends here; 0 for the first
    std::size_t is_free = 0;
    Block* next = nullptr;  // in its list, while it is free
    Block* previous = nullptr;
  };
  static_assert(sizeof(Block) == kStep);

  static Block* after(Block* block) noexcept {
    return reinterpret_cast<Block*>(reinterpret_cast<char*>(block) + block->size);
  }
  static int list_of(std::size_t size) noexcept { return std::bit_width(size / kStep) - 1; }

  void put(Block* block) noexcept {
    Block*& list = lists_[list_of(block->size)];
    block->is_free = 1;
    block->previous = nullptr;
    block->next = list;
    if (list) list->previous = block;
    list = block;
  }
  void take(Block* block) noexcept {
    block->is_free = 0;
    if (block->next) block->next->previous = block->previous;
    (block->previous ? block->previous->next : lists_[list_of(block->size)]) = block->next;
  }
  // In the list of its own power of two a block may be too small, so few are asked; in those above, none is.
  Block* find(std::size_t size) const noexcept {
    int list = list_of(size);
    int tries = 16;
    for (Block* block = lists_[list]; block && tries; block = block->next, --tries) {
      if (block->size >= size) return block;
    }
    for (++list; list < kLists; ++list) {
      if (lists_[list]) return lists_[list];
    }
    return nullptr;
  }
  void split(Block* block, std::size_t size) noexcept {
    const std::size_t rest = block->size - size;
    block->size = size;
    Block* const second = new (after(block)) Block;
    second->size = rest;
    second->size_before = size;
    after(second)->size_before = rest;
    put(second);
  }

  static constexpr int kLists = 48;
  Block* lists_[kLists] = {};
  std::size_t in_use_ = 0;
  SpinLock lock_;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
