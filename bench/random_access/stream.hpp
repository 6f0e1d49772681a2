// The random stream of RandomAccess: the powers of x modulo the polynomial x^64 + x^2 + x + 1 over bits.
//
// Number n of the stream is x^(n+1), so that each rank can begin at its own place.
#pragma once
#include <cstdint>

namespace aqueduct::bench::random_access {

class Stream {
 public:
  /// The first next() returns number `first`.
  explicit Stream(std::uint64_t first) : state_(power_of_x(first)) {}

  std::uint64_t next() { return state_ = times_x(state_); }

  static constexpr std::uint64_t times_x(std::uint64_t value) {
    constexpr std::uint64_t kReduced = 7;  // x^64 is x^2 + x + 1
    return (value << 1) ^ (static_cast<std::int64_t>(value) < 0 ? kReduced : 0);
  }

 private:
  static std::uint64_t power_of_x(std::uint64_t exponent);

  std::uint64_t state_;
};

}  // namespace aqueduct::bench::random_access
