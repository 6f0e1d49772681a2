// Room in memory that the ranks of a host share: sparse, zeroed at first, so large that nobody runs out of
// it. Only pages that are written cost anything. It is mapped in parts, as they are needed: address space may
// be limited.
//
// Owned by who uses it. Not for several threads at once.
#pragma once
#include <sys/mman.h>

#include <cstddef>

#include "job/place/shared_memory.hpp"

namespace aqueduct::job {

class SharedRoom {
 public:
  virtual ~SharedRoom() = default;

  /// [offset, offset + bytes) of it; multiples of a page. Ends the job with one line if it cannot be mapped.
  virtual std::byte* map(std::size_t offset, std::size_t bytes) = 0;
  /// What map() returned for so many bytes is not used any more.
  virtual void unmap(std::byte* mapped, std::size_t bytes) = 0;
};

/// A part of a file without a name, that begins at `place` and is as long as it must be.
class FileRoom final : public SharedRoom {
 public:
  /// The file stays open for as long as this object is used.
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
