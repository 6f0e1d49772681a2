// Chunks of host memory from which what is on its way leaves, and to which gets of host memory come: the last
// third of the staging room, or memory of their own where there is none.
//
// Threads: whoever runs the deferred tasks.
#pragma once
#include <vector>

#include "core/device_memory.hpp"

namespace aqueduct::extended::device_memory {

class ChunkMemory {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  ChunkMemory() = default;
  ~ChunkMemory();
  ChunkMemory(const ChunkMemory&) = delete;
  ChunkMemory& operator=(const ChunkMemory&) = delete;

  /// `room` may be empty; ends the job if there is no other memory then.
  void open(const device::HostRange& room);
  bool is_open() const { return range_.bytes != 0; }

  /// Null if all are in use.
  std::byte* take();
  void give_back(std::byte* chunk) { free_.push_back(chunk); }
  /// In place of one that is not given back, because the network may still read it for a rank that has died:
  /// another, if there is memory, which is not pinned.
  void replace_one();
  std::size_t count() const { return range_.bytes / kBytes; }
  /// Where they lie: may be pinned.
  const device::HostRange& range() const { return range_; }

 private:
  device::HostRange range_;
  bool is_own_ = false;
  std::vector<std::byte*> free_;
  std::vector<std::byte*> others_;  // that have replaced some
};

}  // namespace aqueduct::extended::device_memory
