#include "stream.hpp"

namespace aqueduct::bench::random_access {
namespace {

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (; b != 0; b >>= 1, a = Stream::times_x(a)) {
    if (b & 1) sum ^= a;
  }
  return sum;
}

}  // namespace

std::uint64_t Stream::power_of_x(std::uint64_t exponent) {
  constexpr std::uint64_t kX = 2;
  std::uint64_t result = 1;
  for (std::uint64_t square = kX; exponent != 0; exponent >>= 1, square = product(square, square)) {
    if (exponent & 1) result = product(result, square);
  }
  return result;
}

}  // namespace aqueduct::bench::random_access
