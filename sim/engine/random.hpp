// Random numbers that depend on the seed and on nothing else.
//
// Each user has a stream of its own, named by two numbers (say, its purpose and the node), so that one more
// draw in one place changes nothing elsewhere. splitmix64: one multiplication chain, good enough to choose
// faults and destinations, the same on every machine. No floating point.
#pragma once
#include <cstdint>

namespace aqueduct::sim {

constexpr std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9u;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

class Random {
 public:
  explicit Random(std::uint64_t seed = 0, std::uint64_t stream = 0, std::uint64_t part = 0)
      : state_(mix(mix(mix(seed + kStep) + stream) ^ part)) {}

  std::uint64_t next() { return mix(state_ += kStep); }
  /// 0 .. bound-1; `bound` > 0. The bias of the multiplication is below 2^-32 for bounds below 2^32.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * bound >> 64);
  }
  /// True `millionths` times in a million.
  bool chance(std::uint32_t millionths) { return millionths != 0 && below(1'000'000) < millionths; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  std::uint64_t state_;
};

}  // namespace aqueduct::sim
