// Memory for payloads of up to Place::kMostBuffered that have none of their own: those that come without a
// place, and copies of those that went without waiting. The one given back last is lent next: its memory is
// warm. Any thread.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::fabric::udp {

class BufferPool {
 public:
  using Buffer = std::unique_ptr<std::byte[]>;

  Buffer take() {
    {
      const std::lock_guard guard(lock_);
      if (!spare_.empty()) {
        Buffer buffer = std::move(spare_.back());
        spare_.pop_back();
        return buffer;
      }
    }
    return std::make_unique_for_overwrite<std::byte[]>(Place::kMostBuffered);
  }
  /// It may be null.
  void give_back(Buffer buffer) {
    constexpr std::size_t kMostSpare = 64;
    if (!buffer) return;
    const std::lock_guard guard(lock_);
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(buffer));
  }

 private:
  SpinLock lock_;  // of what follows
  std::vector<Buffer> spare_;
};

}  // namespace aqueduct::fabric::udp
