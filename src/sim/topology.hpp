// Where the nodes of a network are, and the way from one to another.
//
// Torus and mesh have three dimensions (any of which may be 1) and dimension-order routing: first x, then y,
// then z, each the shorter way round; both ways equally long means upwards. A crossbar is one hop from
// everywhere to everywhere. A link is one direction of a cable, named by a number.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "fabric/fabric.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::sim {

using LinkId = std::uint32_t;

class Topology {
 public:
  using Dimensions = std::array<std::uint32_t, 3>;

  /// `nodes` must be the product of `dimensions`; a crossbar has {nodes, 1, 1}.
  Topology(TopologyKind kind, Dimensions dimensions);

  /// The most cube-like box of exactly `nodes` nodes.
  static Dimensions box_for(fabric::NodeId nodes);

  TopologyKind kind() const { return kind_; }
  const Dimensions& dimensions() const { return dimensions_; }
  fabric::NodeId nodes() const { return nodes_; }
  LinkId links() const { return links_; }

  /// Hops between two nodes; 0 to itself.
  unsigned distance(fabric::NodeId from, fabric::NodeId to) const;

  /// Calls `visit(LinkId)` for each link on the way, in order.
  template <class Visit>
  void route(fabric::NodeId from, fabric::NodeId to, Visit&& visit) const {
    if (kind_ == TopologyKind::kCrossbar) {
      if (from != to) visit(to);
      return;
    }
    std::uint32_t at = from;
    std::uint32_t stride = 1;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::uint32_t size = dimensions_[axis];
      std::uint32_t here = from / stride % size;
      const std::uint32_t there = to / stride % size;
      const bool up = goes_up(here, there, size);
      while (here != there) {
        visit(at * kDirections + axis * 2 + (up ? 0 : 1));
        const std::uint32_t next = up ? (here + 1 == size ? 0 : here + 1) : (here == 0 ? size - 1 : here - 1);
        at = at - here * stride + next * stride;
        here = next;
      }
      stride *= size;
    }
  }

  /// "node 5 to node 6".
  std::string describe(LinkId link) const;

 private:
  static constexpr std::uint32_t kDirections = 6;
  bool goes_up(std::uint32_t here, std::uint32_t there, std::uint32_t size) const {
    if (kind_ == TopologyKind::kMesh) return there > here;
    const std::uint32_t upwards = there >= here ? there - here : there + size - here;
    return upwards * 2 <= size;
  }

  TopologyKind kind_;
  Dimensions dimensions_;
  fabric::NodeId nodes_;
  LinkId links_;
};

}  // namespace aqueduct::sim
