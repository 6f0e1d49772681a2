// The symmetric heap of this PE, behind shmem_malloc and the rest.
#pragma once
#include <cstddef>

namespace aqshmem {

void start_heap(std::size_t bytes);
/// Whether [offset, offset + bytes) of the heap is inside one block that is in use. Any thread.
bool heap_holds(std::size_t offset, std::size_t bytes);

}  // namespace aqshmem
