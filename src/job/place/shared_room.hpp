// Memory that the ranks of a host share: sparse, zeroed at first, larger than anybody needs. Only pages that
// are written cost memory. It is mapped in parts when they are needed, because address space may be limited.
//
// Its user owns it. Not for several threads at once.
#pragma once
#include <sys/mman.h>

#include <cstddef>

#include "job/place/shared_memory.hpp"

namespace aqueduct::job {

class SharedRoom {
 public:
  virtual ~SharedRoom() = default;

  /// Maps [offset, offset + bytes), multiples of a page. Ends the job with one line if that fails.
  virtual std::byte* map(std::size_t offset, std::size_t bytes) = 0;
  /// Ends the use of what map() returned for so many bytes.
  virtual void unmap(std::byte* mapped, std::size_t bytes) = 0;
};

/// The part of the job's memory file that begins at `place`.
class FileRoom final : public SharedRoom {
 public:
  /// The file must stay open as long as this object lives.
  FileRoom(int memory_fd, std::size_t place) : memory_fd_(memory_fd), place_(place) {}

  std::byte* map(std::size_t offset, std::size_t bytes) override {
    return static_cast<std::byte*>(
        map_shared(memory_fd_, place_ + offset, bytes, "memory of the bootstrap or of segment keys"));
  }
  void unmap(std::byte* mapped, std::size_t bytes) override { ::munmap(mapped, bytes); }

 private:
  int memory_fd_;
  std::size_t place_;
};

}  // namespace aqueduct::job
