// The memory of this node that peers may name as the place of a payload (fabric.hpp): what is exposed, what
// is posted for one of them, and buffers for what has no place of its own. Whatever a peer names is checked
// here, against bounds, owner and size, before a byte is written. Any thread; what is written there is not
// the table's business.
#pragma once
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "fabric/fabric.hpp"
#include "fabric/udp/buffer_pool.hpp"

namespace aqueduct::fabric::udp {

/// Where a payload lands; null: nowhere.
struct PlacedMemory {
  std::byte* begin = nullptr;
  BufferPool::Buffer buffer;  ///< of Place::Kind::kBuffer: `begin` lies in it
};

class PlaceTable {
 public:
  /// `buffers` outlives the table.
  explicit PlaceTable(BufferPool& buffers) : buffers_(buffers) {}

  void expose(const Piece& memory) {
    const std::lock_guard guard(lock_);
    exposed_ = memory;
  }

  std::uint64_t post(NodeId source, const Piece& where) {
    const std::lock_guard guard(lock_);
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(posted_.size()));
      posted_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    Posted& posted = posted_[slot];
    posted = {posted.generation + 1, State::kPosted, source, where};
    return std::uint64_t{posted.generation} << 32 | slot;
  }
  /// What is under this name is posted no more.
  void withdraw(std::uint64_t name) {
    const std::lock_guard guard(lock_);
    const auto slot = static_cast<std::uint32_t>(name);
    posted_[slot].state = State::kFree;
    free_.push_back(slot);
  }

  /// Where a payload of `bytes` from `source` lands that names this place. What is posted is given once.
  PlacedMemory memory_of(NodeId source, const Place& place, std::uint64_t bytes) {
    const std::lock_guard guard(lock_);
    switch (place.kind) {
      case Place::Kind::kExposed: {
        const std::uint64_t offset = place.at - reinterpret_cast<std::uint64_t>(exposed_.base);
        if (offset >= exposed_.bytes || bytes > exposed_.bytes - offset) return {};
        return {static_cast<std::byte*>(exposed_.base) + offset, {}};
      }
      case Place::Kind::kPosted: {
        const auto slot = static_cast<std::uint32_t>(place.at);
        if (slot >= posted_.size()) return {};
        Posted& posted = posted_[slot];
        if (posted.state != State::kPosted || posted.generation != place.at >> 32 ||
            posted.source != source || posted.where.bytes != bytes)
          return {};
        posted.state = State::kClaimed;
        return {static_cast<std::byte*>(posted.where.base), {}};
      }
      case Place::Kind::kBuffer: {
        if (bytes > Place::kMostBuffered) return {};
        BufferPool::Buffer buffer = buffers_.take();
        return {buffer.get(), std::move(buffer)};
      }
    }
    return {};
  }

 private:
  enum class State : std::uint8_t { kFree, kPosted, kClaimed };
  struct Posted {
    std::uint32_t generation = 0;
    State state = State::kFree;
    NodeId source = 0;
    Piece where;
  };

  BufferPool& buffers_;
  SpinLock lock_;  // of what follows
  Piece exposed_;
  std::vector<Posted> posted_;
  std::vector<std::uint32_t> free_;
};

}  // namespace aqueduct::fabric::udp
