// Memory that neighbours share: sparse, zeroed, found by offset. A live neighbourhood has a part of the job's
// shared memory; a simulated one memory of the process, of which all its ranks have the same mapping.
//
// Any thread. What is mapped stays until unmap() or the end of the process.
#pragma once
#include <cstddef>

namespace aqueduct::world {

class SharedMemory {
 public:
  virtual ~SharedMemory() = default;

  /// Null with errno if there is no address space.
  virtual std::byte* map(std::size_t offset, std::size_t bytes) = 0;
  virtual void unmap(void* mapped, std::size_t bytes) = 0;
  /// Gives the memory there back to the system; it is zero when it is used again. Nobody uses it meanwhile.
  virtual void drop(std::size_t offset, std::size_t bytes) = 0;
  /// A core file of this process has what was mapped here, of which nobody else has a copy.
  virtual void keep_in_core_file(void* mapped, std::size_t offset, std::size_t bytes) = 0;
};

}  // namespace aqueduct::world
