// Which handlers read the large payloads that they are given.
//
// Where a payload is best written, and whether its lines are best given back (base/cache_lines.hpp), depends
// on whether its handler reads it. Clients do not say what their handlers do, so one message in kInterval is
// looked at: a payload that was read lies in the cache.
//
// Only a guess: threads may lose each other's updates.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_lines.hpp"

namespace aqueduct::core {

class PayloadReading {
 public:
  /// The handler with this index has returned; its payload of `bytes` is still there. Answers whether it
  /// reads.
  bool handled(std::uint8_t handler, const void* payload, std::size_t bytes) {
    std::atomic<std::uint8_t>& guess = guesses_[handler];
    std::uint8_t now = guess.load(std::memory_order_relaxed);
    if (now < 2) {
      const bool reads = is_in_cache(static_cast<const std::byte*>(payload) + bytes / 2);
      now = static_cast<std::uint8_t>(2 * kInterval + (reads ? 1 : 0));
    }
    guess.store(static_cast<std::uint8_t>(now - 2), std::memory_order_relaxed);
    return now & 1;
  }

 private:
  static constexpr unsigned kInterval = 32;

  // Lowest bit: it reads. Above it: how many messages until the next look.
  std::array<std::atomic<std::uint8_t>, 256> guesses_{};
};

}  // namespace aqueduct::core
