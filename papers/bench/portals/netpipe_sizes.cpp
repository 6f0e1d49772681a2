#include "netpipe_sizes.hpp"

namespace aqueduct::bench::portals {
namespace {

/// From one base to the next: 1 2 3 4 6 8 12 16 24 32 48 ...
std::size_t step_from(std::size_t base) {
  if (base < 4) return 1;
  const bool power_of_two = (base & (base - 1)) == 0;
  return power_of_two ? base / 2 : base / 3;
}

}  // namespace

std::vector<std::size_t> netpipe_sizes(std::size_t largest, std::size_t perturbation) {
  std::vector<std::size_t> sizes;
  const auto add = [&](std::size_t size) {
    if (size <= largest) sizes.push_back(size);
  };
  for (std::size_t base = 1; base <= largest; base += step_from(base)) {
    const bool room = perturbation != 0 && step_from(base) > perturbation + 1;
    if (room) add(base - perturbation);
    add(base);
    if (room) add(base + perturbation);
  }
  return sizes;
}

}  // namespace aqueduct::bench::portals
