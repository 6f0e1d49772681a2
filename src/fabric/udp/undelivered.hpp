// The messages of a stream that are not acknowledged, in their order. Without memory while there are none and
// release_memory() was called. Not thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aqueduct::fabric::udp {

struct Undelivered {
  std::uint64_t begin = 0;  ///< in the stream
  std::uint64_t cookie = 0;
};

class UndeliveredMessages {
 public:
  bool empty() const { return first_ == all_.size(); }
  std::span<const Undelivered> all() const { return std::span(all_).subspan(first_); }
  void add(const Undelivered& message) {
    // At least half of what is moved is room: so each message is moved once, on average.
    if (all_.size() == all_.capacity() && 2 * first_ >= all_.size()) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    all_.push_back(message);
  }
  void drop_first() {
    if (++first_ == all_.size()) clear();
  }
  void clear() {
    all_.clear();
    first_ = 0;
  }
  void release_memory() {
    if (empty()) all_ = std::vector<Undelivered>();
  }
  std::size_t memory_bytes() const { return all_.capacity() * sizeof(Undelivered); }

 private:
  std::vector<Undelivered> all_;
  std::size_t first_ = 0;
};

}  // namespace aqueduct::fabric::udp
