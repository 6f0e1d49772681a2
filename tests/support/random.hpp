// Random choices that can be made again.
//
// All randomness of a test comes from one seed, AQUEDUCT_TEST_SEED (default 1), and the name of the running
// case. A failing program prints the seed with the command that replays it. `shared_random` gives every rank
// the same sequence, `own_random` gives each rank its own.
#pragma once
#include <cstdint>
#include <random>

namespace aqueduct::test {

using Random = std::mt19937_64;

std::uint64_t seed();
Random shared_random();
Random own_random();

/// Spreads the bits of `x`; the finaliser of the SplitMix64 generator.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// One key out of several small numbers (rank, sequence number, ...).
template <class... Numbers>
constexpr std::uint64_t key_of(Numbers... numbers) {
  std::uint64_t key = 0;
  ((key = mix(key ^ static_cast<std::uint64_t>(numbers))), ...);
  return key;
}

}  // namespace aqueduct::test
