#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "checks.hpp"
#include "exported.hpp"
#include "heap.hpp"
#include "shmem.h"

namespace aqshmem {
namespace {

Heap heap;
std::mutex heap_lock;

void* at(std::size_t offset) { return reinterpret_cast<void*>(job.heap + offset); }

std::size_t offset_in_heap(const char* call, const void* ptr) {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(ptr) - job.heap;
  if (offset >= job.heap_bytes || heap.bytes_of(offset) == 0)
    fail("%s: %p is not the beginning of a block of the symmetric heap, or was freed already", call, ptr);
  return offset;
}

void* allocate(const char* call, std::size_t bytes, std::size_t alignment) {
  must_be_started(call);
  check_same(call, job.world, {bytes, alignment});
  std::size_t offset;
  {
    const std::lock_guard guard(heap_lock);
    offset = heap.allocate(bytes, alignment);
  }
  return offset == Heap::kNone ? nullptr : at(offset);
}

/// What follows an allocation that has changed the heap.
void* synchronised(void* block) {
  if (block) barrier_all();
  return block;
}

}  // namespace

void start_heap(std::size_t bytes) { heap = Heap(bytes); }

bool heap_holds(std::size_t offset, std::size_t bytes) {
  const std::lock_guard guard(heap_lock);
  return heap.holds(offset, bytes);
}

}  // namespace aqshmem

using namespace aqshmem;

SHMEM_EXPORT(void*, malloc, (size_t size)) { return synchronised(allocate("shmem_malloc", size, 1)); }

SHMEM_EXPORT(void*, malloc_with_hints, (size_t size, long)) {
  return synchronised(allocate("shmem_malloc_with_hints", size, 1));
}

SHMEM_EXPORT(void*, align, (size_t alignment, size_t size)) {
  if (alignment == 0 || (alignment & (alignment - 1))) return nullptr;
  return synchronised(allocate("shmem_align", size, alignment));
}

SHMEM_EXPORT(void*, calloc, (size_t count, size_t size)) {
  if (size != 0 && count > static_cast<size_t>(-1) / size) return nullptr;
  void* const block = allocate("shmem_calloc", count * size, 1);
  if (block) std::memset(block, 0, count * size);
  return synchronised(block);
}

SHMEM_EXPORT(void, free, (void* ptr)) {
  must_be_started("shmem_free");
  if (!ptr) return;
  barrier_all();
  const std::lock_guard guard(heap_lock);
  heap.release(offset_in_heap("shmem_free", ptr));
}

// What is no block of the heap is answered with NULL, as implementations do; checks say more.
SHMEM_EXPORT(void*, realloc, (void* ptr, size_t size)) {
  constexpr const char* kCall = "shmem_realloc";
  must_be_started(kCall);
  if (!ptr) return synchronised(allocate(kCall, size, 1));
  barrier_all();
  void* block = nullptr;
  {
    const std::lock_guard guard(heap_lock);
    const std::size_t before = reinterpret_cast<std::uintptr_t>(ptr) - job.heap;
    const std::size_t bytes = heap.bytes_of(before);
    if (bytes == 0 && job.checks) offset_in_heap(kCall, ptr);
    if (bytes != 0 && size == 0) {
      heap.release(before);
    } else if (bytes != 0) {
      const std::size_t offset = heap.reallocate(before, size);
      if (offset != Heap::kNone) {
        block = at(offset);
        std::memmove(block, ptr, std::min(bytes, size));
      }
    }
  }
  return synchronised(block);
}

extern "C" {
void* shmalloc(size_t size) { return shmem_malloc(size); }
void shfree(void* ptr) { shmem_free(ptr); }
void* shrealloc(void* ptr, size_t size) { return shmem_realloc(ptr, size); }
void* shmemalign(size_t alignment, size_t size) { return shmem_align(alignment, size); }
}
