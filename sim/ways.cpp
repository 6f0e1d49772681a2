// The ways through each topology, step by step (topology.hpp).
#include "sim/topology.hpp"

namespace aqueduct::sim {

Way Topology::usual(fabric::NodeId from, fabric::NodeId to) const {
  Way way;
  // On a tree the target selects the way, so that messages to one node go down the same way.
  if (shape_.kind == TopologyKind::kTree) way.spread = to;
  if (shape_.kind == TopologyKind::kDragonfly && links_between_groups_ != 0)
    way.spread = usual_global_link(from, to);
  return way;
}

// A shift keeps the difference of places, and the senders of a group follow each other, so consecutive ones
// take consecutive links. From one node, differences follow each other: they take every second link, and from
// half of the links on those in between (of an odd number that comes about by itself).
std::uint32_t Topology::usual_global_link(fabric::NodeId from, fabric::NodeId to) const {
  const std::uint32_t links = links_between_groups_, group_nodes = group_routers_ * shape_.nodes_per_router;
  const std::uint32_t here = from % group_nodes % links, there = to % group_nodes % links;
  const std::uint32_t apart = (there + links - here) % links;
  const std::uint32_t other_half = links % 2 == 0 && 2 * apart >= links ? 1 : 0;
  return (here + 2 * apart + other_half) % links;
}

void Topology::find(fabric::NodeId from, fabric::NodeId to, const Way& way, Steps& steps) const {
  steps.clear();
  switch (shape_.kind) {
    case TopologyKind::kCrossbar:
      if (from != to) steps.push_back({to, 0});
      break;
    case TopologyKind::kTorus:
    case TopologyKind::kMesh:
      find_in_box(from, to, way.backwards, steps);
      break;
    case TopologyKind::kDragonfly:
      find_in_dragonfly(router_of(from), router_of(to), way, steps);
      break;
    case TopologyKind::kTree:
      find_in_tree(router_of(from), router_of(to), way.spread, steps);
      break;
  }
}

void Topology::find_in_box(fabric::NodeId from, fabric::NodeId to, bool backwards, Steps& steps) const {
  const std::uint32_t strides[] = {1, dimensions_[0], dimensions_[0] * dimensions_[1]};
  const std::uint32_t rings = shape_.kind == TopologyKind::kTorus ? 2 : 1;
  std::uint32_t at = from;
  for (unsigned turn = 0; turn < 3; ++turn) {
    const unsigned axis = backwards ? 2 - turn : turn;
    const std::uint32_t size = dimensions_[axis], stride = strides[axis];
    std::uint32_t here = from / stride % size;
    const std::uint32_t there = to / stride % size;
    const bool up = goes_up(here, there, size);
    std::uint32_t channel = backwards ? rings : 0;
    while (here != there) {
      const bool crosses = up ? here + 1 == size : here == 0;
      if (crosses) ++channel;  // the dateline; a way on a mesh never crosses it
      steps.push_back({at * kDirections + axis * 2 + (up ? 0 : 1), channel});
      const std::uint32_t next = up ? (crosses ? 0 : here + 1) : (crosses ? size - 1 : here - 1);
      at = at - here * stride + next * stride;
      here = next;
    }
  }
}

void Topology::along_row_and_column(RouterId from, RouterId to, std::uint32_t channel, Steps& steps) const {
  const std::uint32_t column = from % shape_.columns, to_column = to % shape_.columns;
  if (column != to_column) {
    steps.push_back({from * router_links() + (to_column < column ? to_column : to_column - 1), channel});
    from = from - column + to_column;
  }
  const std::uint32_t row = from % group_routers_ / shape_.columns;
  const std::uint32_t to_row = to % group_routers_ / shape_.columns;
  if (row != to_row) {
    const std::uint32_t port = shape_.columns - 1 + (to_row < row ? to_row : to_row - 1);
    steps.push_back({from * router_links() + port, channel});
  }
}

// The global links of a group are numbered round by round: each round has one link to each other group,
// beginning with the next group. Numbers go along the routers, as many times as each router has global links.
Topology::GlobalLink Topology::global_link(std::uint32_t from, std::uint32_t to, std::uint32_t which) const {
  const auto port = [&](std::uint32_t group, std::uint32_t other) {
    const std::uint32_t ahead = (other + groups_ - group) % groups_;
    return which * (groups_ - 1) + ahead - 1;
  };
  const std::uint32_t out = port(from, to), in = port(to, from);
  const RouterId start = from * group_routers_ + out % group_routers_;
  const std::uint32_t first_global = shape_.columns - 1 + shape_.rows - 1;
  return {start * router_links() + first_global + out / group_routers_, start,
          to * group_routers_ + in % group_routers_};
}

void Topology::find_in_dragonfly(RouterId from, RouterId to, const Way& way, Steps& steps) const {
  std::uint32_t channel = 0;
  const auto to_group = [&](std::uint32_t group) {
    const GlobalLink global = global_link(group_of(from), group, way.spread % links_between_groups_);
    along_row_and_column(from, global.from, channel, steps);
    steps.push_back({global.link, channel});
    from = global.to;
    ++channel;
  };
  const std::uint32_t last_group = group_of(to);
  if (way.via != Way::kDirect && group_of(from) == last_group) {
    along_row_and_column(from, way.via, channel, steps);
    from = way.via;
    ++channel;
  } else if (way.via != Way::kDirect) {
    to_group(way.via);
  }
  if (group_of(from) != last_group) to_group(last_group);
  along_row_and_column(from, to, channel, steps);
}

unsigned Topology::levels_up(fabric::NodeId from, fabric::NodeId to) const {
  std::uint32_t low = from / shape_.arity, other = to / shape_.arity;
  unsigned levels = 0;
  for (; low != other; ++levels) {
    low /= shape_.arity;
    other /= shape_.arity;
  }
  return levels;
}

// A switch of level l reaches, over its link j up, the switch whose number has j as its digit l, and likewise
// down. So a way up may choose the digits below the level where it turns.
void Topology::find_in_tree(RouterId from, RouterId to, std::uint32_t spread, Steps& steps) const {
  const std::uint32_t ups = (levels_ - 1) * level_switches_ * shape_.arity;
  const unsigned turn = levels_up(from * shape_.arity, to * shape_.arity);
  std::uint32_t at = from, weight = 1;
  for (unsigned level = 0; level < turn; ++level) {
    const std::uint32_t port = spread % shape_.arity;
    spread /= shape_.arity;
    steps.push_back({(level * level_switches_ + at) * shape_.arity + port, 0});
    at = at - at / weight % shape_.arity * weight + port * weight;
    weight *= shape_.arity;
  }
  for (unsigned level = turn; level-- > 0;) {
    weight /= shape_.arity;
    const std::uint32_t port = to / weight % shape_.arity;
    steps.push_back({ups + (level * level_switches_ + at) * shape_.arity + port, 0});
    at = at - at / weight % shape_.arity * weight + port * weight;
  }
}

}  // namespace aqueduct::sim
