// A pool of equal chunks in one piece of memory: bounce buffers, and the places that messages are sent from
// and answered in. A chunk is known by its offset, which a peer can be told.
//
// Any thread; one short lock; never waits and never allocates. Memory is touched when it is first used.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/types.hpp"

namespace aqueduct::parts {

class ChunkPool {
 public:
  using Offset = std::uint32_t;
  static constexpr Offset kNone = ~Offset{0};

  ChunkPool(std::uint32_t chunks, std::uint32_t chunk_bytes)
      : chunk_bytes_(chunk_bytes),
        bytes_(std::size_t{chunks} * chunk_bytes),
        memory_(static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{kPage}))) {
    free_.reserve(chunks);
    for (std::uint32_t i = chunks; i-- > 0;) free_.push_back(i * chunk_bytes);
  }

  /// kNone if all are taken. The one given back last is taken first: it is warm.
  Offset take() {
    const std::lock_guard guard(lock_);
    if (free_.empty()) return kNone;
    const Offset offset = free_.back();
    free_.pop_back();
    return offset;
  }
  void give_back(Offset offset) {
    const std::lock_guard guard(lock_);
    free_.push_back(offset);
  }

  std::byte* at(std::size_t offset) const { return memory_.get() + offset; }
  std::byte* memory() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }
  std::uint32_t chunk_bytes() const { return chunk_bytes_; }
  std::size_t taken_chunks() const { return bytes_ / chunk_bytes_ - free_chunks(); }
  std::size_t free_chunks() const {
    const std::lock_guard guard(lock_);
    return free_.size();
  }

 private:
  struct Release {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{kPage}); }
  };

  std::uint32_t chunk_bytes_;
  std::size_t bytes_;
  std::unique_ptr<std::byte, Release> memory_;
  mutable SpinLock lock_;
  std::vector<Offset> free_;
};

}  // namespace aqueduct::parts
