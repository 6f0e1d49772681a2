// Send tokens limit the operations in flight to the slots of the network interface.
//
// A token is taken before an operation begins and given back when its memory is free again. Any thread; never
// waits.
#pragma once
#include <atomic>
#include <cstdint>

namespace aqueduct::parts {

class SendTokens {
 public:
  explicit SendTokens(std::uint32_t count) : count_(count), free_(count) {}

  /// Takes all `n`, or none.
  bool try_take(std::uint32_t n = 1) {
    std::uint32_t free = free_.load(std::memory_order_relaxed);
    do {
      if (free < n) return false;
    } while (
        !free_.compare_exchange_weak(free, free - n, std::memory_order_acquire, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::uint32_t n = 1) { free_.fetch_add(n, std::memory_order_release); }

  std::uint32_t free() const { return free_.load(std::memory_order_relaxed); }
  std::uint32_t taken() const { return count_ - free(); }

 private:
  const std::uint32_t count_;
  std::atomic<std::uint32_t> free_;
};

}  // namespace aqueduct::parts
