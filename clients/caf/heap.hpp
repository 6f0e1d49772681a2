// Memory in this image's segment.
//
// SymmetricHeap  for coarrays: where a block goes depends on nothing but the blocks that are there, so that
// images which allocate
//                and free the same sizes in the same order get the same offsets. The lowest gap that fits is taken. What was
//                allocated inside a change team construct is freed when that ends, also where the compiler does not ask for
//                it, because sibling teams may allocate differently, and must agree again afterwards.
// LocalHeap      for allocatable components, of which there may be many: free lists by size, in steps of a
// quarter of a power of
//                two. A block keeps its step in the 16 bytes before it.
//
// Null when there is no room. Neither gives memory back to the system.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::caf {

class SymmetricHeap {
 public:
  void begin(char* memory, std::size_t bytes) { memory_ = memory, bytes_ = bytes; }
  void* allocate(std::size_t bytes, int depth);
  void free(void* block);
  /// Frees all blocks that were allocated at this depth of teams or a greater one.
  void free_from(int depth);

 private:
  struct Block {
    std::size_t offset, bytes;
    int depth;
  };
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Block* blocks_ = nullptr;  // by offset
  std::size_t count_ = 0, room_ = 0;
};

class LocalHeap {
 public:
  void begin(char* memory, std::size_t bytes) { next_ = memory, end_ = memory + bytes; }
  void* allocate(std::size_t bytes);
  void free(void* block);
  static std::size_t usable_bytes(const void* block);

 private:
  static constexpr unsigned kSteps = 256;
  struct Header {
    std::uint64_t step;
    Header* next;  ///< in a free list
  };
  static unsigned step_of(std::size_t bytes);
  static std::size_t bytes_of(unsigned step);

  char* next_ = nullptr;
  char* end_ = nullptr;
  Header* free_[kSteps] = {};
};

extern SymmetricHeap symmetric_heap;
extern LocalHeap local_heap;

}  // namespace aqueduct::caf
