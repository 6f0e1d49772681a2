// The routers and links of a network, and the ways between its nodes.
//
// Nodes are attached to routers; a link is one direction of a cable between two routers and has a number. A
// way is a list of steps, each a link and the virtual channel of the buffer at its end. Several ways may lead
// from one node to another: a Way selects one; usual() is that of fixed routing.
//
//   torus, mesh   One to three axes (any of which may be 1), a router for each node. The usual way goes along
//                 x, then y, then z, each the shorter way round; both equally long means upwards. The other
//                 one goes z, y, x.
//   crossbar      One hop from everywhere to everywhere: the link into the target.
//   dragonfly     Groups of columns x rows routers. A router has a link to each other one of its row, one to
//                 each other one of its column, and global links to other groups; each pair of groups has the
//                 same number of them, spread over the routers. A way goes along the row, then the column, to
//                 a router with a global link to the target's group, and there row, then column. `spread`
//                 says which of the global links; the usual one depends on both nodes' places in their groups,
//                 so that in every shift (node n sends to n + k), and when one node sends to all, they carry
//                 equally much. With `via` a way goes through a third group first, or, within one group,
//                 through a third router.
//   tree          A fat tree of switches of `arity` links down and up: up to the first switch above both,
//                 then down. `spread` says which of the links up, a digit to base `arity` for each level.
//
// Channels. No set of buffers may wait for each other in a circle. The channels of a torus' way count whether
// it has crossed the edge of the axis (its dateline), so that no ring of buffers closes; those of a dragonfly
// count the global links (or third routers) that were passed. Ways along z, y, x have channels of their own.
// channels_needed() is their number; if a network has more, pairs of nodes are spread over them. Ways around
// cables that are cut have channels of their own (detours.hpp).
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::sim {

using LinkId = std::uint32_t;
using RouterId = std::uint32_t;

struct Step {
  LinkId link = 0;
  std::uint32_t channel = 0;
};
using Steps = std::vector<Step>;

/// Which of several ways.
struct Way {
  static constexpr std::uint32_t kDirect = ~0u;
  bool backwards = false;       ///< z, y, x on a torus or mesh
  std::uint32_t spread = 0;     ///< which of equal links, on a dragonfly or tree
  std::uint32_t via = kDirect;  ///< a group of a dragonfly, or a router of the group that holds both ends
};

/// Kinds of cables, which may differ in speed.
enum class LinkClass : std::uint8_t { kLocal, kColumn, kGlobal };

class Topology {
 public:
  using Dimensions = std::array<std::uint32_t, 3>;

  /// A torus, mesh or crossbar; the latter has {nodes, 1, 1}.
  Topology(TopologyKind kind, Dimensions dimensions);
  /// `nodes` nodes in a network of this shape; ends the program with one line if they do not fit. A torus or
  /// mesh is the most cube-like box unless `dimensions` are given.
  Topology(const Shape& shape, fabric::NodeId nodes, const Dimensions* dimensions = nullptr);

  /// The most cube-like box of exactly `nodes` nodes; with fewer axes the others are 1.
  static Dimensions box_for(fabric::NodeId nodes, unsigned axes = 3);

  TopologyKind kind() const { return shape_.kind; }
  const Shape& shape() const { return shape_; }
  const Dimensions& dimensions() const { return dimensions_; }
  fabric::NodeId nodes() const { return nodes_; }
  LinkId links() const { return links_; }
  RouterId routers() const { return routers_; }
  RouterId router_of(fabric::NodeId node) const;
  LinkClass class_of(LinkId link) const;
  /// The two routers of a link. The router of a crossbar has the number nodes(); its links lead to nodes.
  std::array<RouterId, 2> ends(LinkId link) const;
  /// Writes the links that leave a router; numbers that no cable has (beyond the edge of a mesh) are not
  /// among them.
  void links_from(RouterId router, std::vector<LinkId>& links) const;
  /// Both directions of the cable, or cables, between two routers.
  std::vector<LinkId> links_between(RouterId a, RouterId b) const;
  /// Whether there is a router of this number.
  bool has_router(RouterId router) const {
    return shape_.kind == TopologyKind::kCrossbar ? router == nodes_ : router < routers_;
  }
  /// "node 5 +x", "group 2 router 7 to group 3 router 1".
  std::string describe(LinkId link) const;
  /// "torus 8 x 8 x 8", "dragonfly of 4 groups of 6 x 16 routers".
  std::string describe() const;

  /// Hops of the usual way; 0 to itself, and between nodes of one router.
  unsigned distance(fabric::NodeId from, fabric::NodeId to) const;
  Way usual(fabric::NodeId from, fabric::NodeId to) const;
  /// Writes the steps of a way into `steps`.
  void find(fabric::NodeId from, fabric::NodeId to, const Way& way, Steps& steps) const;
  /// Calls `visit(LinkId)` for each link of the usual way, in order.
  template <class Visit>
  void route(fabric::NodeId from, fabric::NodeId to, Visit&& visit) const {
    Steps steps;
    find(from, to, usual(from, to), steps);
    for (const Step& step : steps) visit(step.link);
  }

  /// The number of channels that `routing` needs to be free of circles.
  unsigned channels_needed(Routing routing) const;

  /// Of a dragonfly.
  std::uint32_t groups() const { return groups_; }
  std::uint32_t group_of(RouterId router) const { return router / group_routers_; }
  std::uint32_t group_routers() const { return group_routers_; }
  std::uint32_t links_between_groups() const { return links_between_groups_; }
  /// Of a tree: the number of links of the usual way that lead up.
  unsigned levels_up(fabric::NodeId from, fabric::NodeId to) const;

 private:
  static constexpr std::uint32_t kDirections = 6;
  bool goes_up(std::uint32_t here, std::uint32_t there, std::uint32_t size) const {
    if (shape_.kind == TopologyKind::kMesh) return there > here;
    const std::uint32_t upwards = there >= here ? there - here : there + size - here;
    return upwards * 2 <= size;
  }
  bool is_real(LinkId link) const;
  void make_dragonfly();
  void make_tree();
  void find_in_box(fabric::NodeId from, fabric::NodeId to, bool backwards, Steps& steps) const;
  void find_in_dragonfly(RouterId from, RouterId to, const Way& way, Steps& steps) const;
  void find_in_tree(RouterId from, RouterId to, std::uint32_t spread, Steps& steps) const;

  // Dragonfly.
  std::uint32_t router_links() const { return shape_.columns - 1 + shape_.rows - 1 + shape_.global_links; }
  void along_row_and_column(RouterId from, RouterId to, std::uint32_t channel, Steps& steps) const;
  /// The global link from a group to another, by its number among those between them.
  struct GlobalLink {
    LinkId link;
    RouterId from, to;
  };
  GlobalLink global_link(std::uint32_t from, std::uint32_t to, std::uint32_t which) const;
  std::uint32_t usual_global_link(fabric::NodeId from, fabric::NodeId to) const;

  Shape shape_;
  Dimensions dimensions_{1, 1, 1};
  fabric::NodeId nodes_;
  RouterId routers_ = 0;
  LinkId links_ = 0;
  std::uint32_t groups_ = 1, group_routers_ = 1, links_between_groups_ = 0;  // of a dragonfly
  std::uint32_t levels_ = 1, level_switches_ = 1;                            // of a tree
};

}  // namespace aqueduct::sim
