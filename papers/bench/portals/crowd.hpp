// Several puts at once, from different nodes of a ring: what one cable, or one node, carries when more is
// sent than it can.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/network_model.hpp"

namespace aqueduct::bench::portals {

struct Flow {
  std::uint32_t from = 0, to = 0;  // nodes
};

/// Three that share one cable of the ring, the one from node 2 to node 3.
inline constexpr Flow kOverOneCable[] = {{0, 3}, {1, 4}, {2, 5}};
/// Three that end at one node, two by one of its cables and one by the other.
inline constexpr Flow kToOneNode[] = {{1, 0}, {2, 0}, {7, 0}};

/// Every flow is one put of `bytes`, and all begin at the same time. Megabytes (10^6) a second of all
/// payload, until the last has arrived. Throws Failed.
double crowd_mb_per_s(const sim::NetworkModel& model, std::span<const Flow> flows, std::size_t bytes);

}  // namespace aqueduct::bench::portals
