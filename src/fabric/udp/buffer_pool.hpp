// Memory for payloads of up to Place::kMostBuffered that have none of their own: those that come without a
// place, and copies of those that went without waiting. The one given back last is lent next: its memory is
// warm. Not thread-safe.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "fabric/fabric.hpp"

namespace aqueduct::fabric::udp {

class BufferPool {
 public:
  using Buffer = std::unique_ptr<std::byte[]>;

  Buffer take() {
    if (spare_.empty()) return std::make_unique_for_overwrite<std::byte[]>(Place::kMostBuffered);
    Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  /// It may be null.
  void give_back(Buffer buffer) {
    constexpr std::size_t kMostSpare = 64;
    if (buffer && spare_.size() < kMostSpare) spare_.push_back(std::move(buffer));
  }

 private:
  std::vector<Buffer> spare_;
};

}  // namespace aqueduct::fabric::udp
