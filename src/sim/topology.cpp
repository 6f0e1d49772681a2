#include "sim/topology.hpp"

#include <algorithm>

namespace aqueduct::sim {

Topology::Topology(TopologyKind kind, Dimensions dimensions)
    : kind_(kind),
      dimensions_(dimensions),
      nodes_(dimensions[0] * dimensions[1] * dimensions[2]),
      links_(kind == TopologyKind::kCrossbar ? nodes_ : nodes_ * kDirections) {}

Topology::Dimensions Topology::box_for(fabric::NodeId nodes) {
  // Of all ways to write `nodes` as x * y * z with x >= y >= z, the one with the smallest surface.
  Dimensions best{nodes, 1, 1};
  std::uint64_t best_surface = ~std::uint64_t{0};
  for (std::uint64_t z = 1; z * z * z <= nodes; ++z) {
    if (nodes % z != 0) continue;
    const std::uint64_t plane = nodes / z;
    for (std::uint64_t y = z; y * y <= plane; ++y) {
      if (plane % y != 0) continue;
      const std::uint64_t x = plane / y;
      const std::uint64_t surface = x * y + y * z + z * x;
      if (surface >= best_surface) continue;
      best_surface = surface;
      best = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
    }
  }
  return best;
}

unsigned Topology::distance(fabric::NodeId from, fabric::NodeId to) const {
  if (kind_ == TopologyKind::kCrossbar) return from == to ? 0 : 1;
  unsigned hops = 0;
  std::uint32_t stride = 1;
  for (const std::uint32_t size : dimensions_) {
    const std::uint32_t here = from / stride % size;
    const std::uint32_t there = to / stride % size;
    const std::uint32_t apart = here > there ? here - there : there - here;
    hops += kind_ == TopologyKind::kMesh ? apart : std::min(apart, size - apart);
    stride *= size;
  }
  return hops;
}

std::string Topology::describe(LinkId link) const {
  if (kind_ == TopologyKind::kCrossbar) return "switch to node " + std::to_string(link);
  static constexpr const char* kWays[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
  return "node " + std::to_string(link / kDirections) + " " + kWays[link % kDirections];
}

}  // namespace aqueduct::sim
