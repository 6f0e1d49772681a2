#include "sim/topology.hpp"

#include <algorithm>

#include "base/fatal.hpp"

namespace aqueduct::sim {

Topology::Topology(TopologyKind kind, Dimensions dimensions)
    : dimensions_(dimensions), nodes_(dimensions[0] * dimensions[1] * dimensions[2]) {
  shape_.kind = kind;
  const bool crossbar = kind == TopologyKind::kCrossbar;
  routers_ = crossbar ? 1 : nodes_;
  links_ = crossbar ? nodes_ : nodes_ * kDirections;
}

Topology::Topology(const Shape& shape, fabric::NodeId nodes, const Dimensions* dimensions)
    : shape_(shape), nodes_(nodes) {
  switch (shape.kind) {
    case TopologyKind::kCrossbar:
      *this = Topology(shape.kind, {nodes, 1, 1});
      break;
    case TopologyKind::kTorus:
    case TopologyKind::kMesh: {
      const Dimensions box = dimensions != nullptr ? *dimensions : box_for(nodes, shape.axes);
      if (std::uint64_t{box[0]} * box[1] * box[2] != nodes) {
        fatal("simulation", "%u x %u x %u is not %u nodes", box[0], box[1], box[2], nodes);
      }
      *this = Topology(shape.kind, box);
      shape_.axes = shape.axes;
      break;
    }
    case TopologyKind::kDragonfly:
      make_dragonfly();
      break;
    case TopologyKind::kTree:
      make_tree();
      break;
  }
  const bool is_box = shape.kind == TopologyKind::kTorus || shape.kind == TopologyKind::kMesh;
  if (dimensions != nullptr && !is_box)
    fatal("simulation", "dimensions were given for a network that is no torus and no mesh");
}

void Topology::make_dragonfly() {
  const std::uint64_t group_routers = std::uint64_t{shape_.columns} * shape_.rows;
  const std::uint64_t group_nodes = group_routers * shape_.nodes_per_router;
  const std::uint64_t groups = (nodes_ + group_nodes - 1) / group_nodes;
  const std::uint64_t global_links = group_routers * shape_.global_links;
  if (groups > 1 && global_links < groups - 1) {
    fatal("simulation", "a group has %llu global links and there are %llu groups: not one for each pair",
          static_cast<unsigned long long>(global_links), static_cast<unsigned long long>(groups));
  }
  groups_ = static_cast<std::uint32_t>(groups);
  group_routers_ = static_cast<std::uint32_t>(group_routers);
  links_between_groups_ = groups > 1 ? static_cast<std::uint32_t>(global_links / (groups - 1)) : 0;
  routers_ = groups_ * group_routers_;
  links_ = routers_ * router_links();
}

void Topology::make_tree() {
  levels_ = 1;
  level_switches_ = 1;
  while (std::uint64_t{level_switches_} * shape_.arity < nodes_) {
    level_switches_ *= shape_.arity;
    ++levels_;
  }
  routers_ = levels_ * level_switches_;
  links_ = 2 * (levels_ - 1) * level_switches_ * shape_.arity;
}

Topology::Dimensions Topology::box_for(fabric::NodeId nodes, unsigned axes) {
  // Of all ways to write `nodes` as x * y * z with x >= y >= z, the one with the smallest surface.
  Dimensions best{nodes, 1, 1};
  std::uint64_t best_surface = ~std::uint64_t{0};
  for (std::uint64_t z = 1; z * z * z <= nodes && (z == 1 || axes == 3); ++z) {
    if (nodes % z != 0) continue;
    const std::uint64_t plane = nodes / z;
    for (std::uint64_t y = z; y * y <= plane && (y == 1 || axes >= 2); ++y) {
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

RouterId Topology::router_of(fabric::NodeId node) const {
  switch (shape_.kind) {
    case TopologyKind::kCrossbar:
      return nodes_;
    case TopologyKind::kDragonfly:
      return node / shape_.nodes_per_router;
    case TopologyKind::kTree:
      return node / shape_.arity;
    case TopologyKind::kTorus:
    case TopologyKind::kMesh:
      break;
  }
  return node;
}

LinkClass Topology::class_of(LinkId link) const {
  if (shape_.kind != TopologyKind::kDragonfly) return LinkClass::kLocal;
  const std::uint32_t port = link % router_links();
  if (port < shape_.columns - 1) return LinkClass::kLocal;
  return port < shape_.columns - 1 + shape_.rows - 1 ? LinkClass::kColumn : LinkClass::kGlobal;
}

unsigned Topology::channels_needed(Routing routing) const {
  const bool several = routing != Routing::kFixed;
  switch (shape_.kind) {
    case TopologyKind::kTorus:
      return several ? 4 : 2;
    case TopologyKind::kMesh:
      return several ? 2 : 1;
    case TopologyKind::kDragonfly:
      return routing == Routing::kAdaptive ? 3 : 2;
    case TopologyKind::kCrossbar:
    case TopologyKind::kTree:
      break;
  }
  return 1;
}

unsigned Topology::distance(fabric::NodeId from, fabric::NodeId to) const {
  if (shape_.kind == TopologyKind::kCrossbar) return from == to ? 0 : 1;
  if (shape_.kind == TopologyKind::kTree) return 2 * levels_up(from, to);
  if (shape_.kind == TopologyKind::kDragonfly) {
    unsigned hops = 0;
    route(from, to, [&](LinkId) { ++hops; });
    return hops;
  }
  unsigned hops = 0;
  std::uint32_t stride = 1;
  for (const std::uint32_t size : dimensions_) {
    const std::uint32_t here = from / stride % size;
    const std::uint32_t there = to / stride % size;
    const std::uint32_t apart = here > there ? here - there : there - here;
    hops += shape_.kind == TopologyKind::kMesh ? apart : std::min(apart, size - apart);
    stride *= size;
  }
  return hops;
}

std::array<RouterId, 2> Topology::ends(LinkId link) const {
  switch (shape_.kind) {
    case TopologyKind::kCrossbar:
      return {nodes_, link};
    case TopologyKind::kDragonfly: {
      const RouterId from = link / router_links();
      std::uint32_t port = link % router_links();
      const std::uint32_t column = from % shape_.columns;
      if (port < shape_.columns - 1) return {from, from - column + (port < column ? port : port + 1)};
      port -= shape_.columns - 1;
      const std::uint32_t row = from % group_routers_ / shape_.columns;
      if (port < shape_.rows - 1) {
        const std::uint32_t other = port < row ? port : port + 1;
        return {from, from - row * shape_.columns + other * shape_.columns};
      }
      port -= shape_.rows - 1;
      const std::uint32_t number =
          port * group_routers_ + from % group_routers_;  // among the global links of the group
      if (groups_ == 1 || number >= links_between_groups_ * (groups_ - 1))
        return {from, from};  // not connected
      const std::uint32_t group = group_of(from);
      const std::uint32_t other = (group + 1 + number % (groups_ - 1)) % groups_;
      return {from, global_link(group, other, number / (groups_ - 1)).to};
    }
    case TopologyKind::kTree: {
      const std::uint32_t ups = (levels_ - 1) * level_switches_ * shape_.arity;
      const bool up = link < ups;
      const std::uint32_t index = up ? link : link - ups;
      const std::uint32_t port = index % shape_.arity;
      const std::uint32_t at = index / shape_.arity % level_switches_;
      const std::uint32_t level = index / shape_.arity / level_switches_;
      std::uint32_t weight = 1;
      for (std::uint32_t i = 0; i < level; ++i) weight *= shape_.arity;
      const std::uint32_t digit = at / weight % shape_.arity;
      const std::uint32_t there = at - digit * weight + port * weight;
      const RouterId low = level * level_switches_, high = low + level_switches_;
      if (up) return {low + at, high + there};
      return {high + at, low + there};
    }
    case TopologyKind::kTorus:
    case TopologyKind::kMesh:
      break;
  }
  const RouterId from = link / kDirections;
  const std::uint32_t axis = link % kDirections / 2;
  std::uint32_t stride = 1;
  for (std::uint32_t i = 0; i < axis; ++i) stride *= dimensions_[i];
  const std::uint32_t size = dimensions_[axis];
  const std::uint32_t here = from / stride % size;
  const std::uint32_t there = link % 2 == 0 ? (here + 1) % size : (here + size - 1) % size;
  return {from, from - here * stride + there * stride};
}

// Every router has as many numbers for links as any other, and not every one has a cable.
bool Topology::is_real(LinkId link) const {
  const auto [from, to] = ends(link);
  if (from == to) return false;
  if (shape_.kind != TopologyKind::kMesh) return true;
  return link % 2 == 0 ? to > from : to < from;  // at the edge it would lead back to the other one
}

void Topology::links_from(RouterId router, std::vector<LinkId>& links) const {
  links.clear();
  const auto add = [&](LinkId first, std::uint32_t count) {
    for (LinkId link = first; link < first + count; ++link)
      if (is_real(link)) links.push_back(link);
  };
  switch (shape_.kind) {
    case TopologyKind::kCrossbar:
      if (router == nodes_) add(0, links_);
      break;
    case TopologyKind::kTorus:
    case TopologyKind::kMesh:
      add(router * kDirections, kDirections);
      break;
    case TopologyKind::kDragonfly:
      add(router * router_links(), router_links());
      break;
    case TopologyKind::kTree: {
      const std::uint32_t ups = (levels_ - 1) * level_switches_ * shape_.arity;
      if (router < (levels_ - 1) * level_switches_) add(router * shape_.arity, shape_.arity);
      if (router >= level_switches_) add(ups + (router - level_switches_) * shape_.arity, shape_.arity);
      break;
    }
  }
}

std::vector<LinkId> Topology::links_between(RouterId a, RouterId b) const {
  std::vector<LinkId> between, links;
  for (const RouterId from : {a, b}) {
    links_from(from, links);
    for (const LinkId link : links)
      if (ends(link)[1] == (from == a ? b : a)) between.push_back(link);
  }
  return between;
}

std::string Topology::describe(LinkId link) const {
  const auto [from, to] = ends(link);
  const auto text = [](std::uint32_t number) { return std::to_string(number); };
  switch (shape_.kind) {
    case TopologyKind::kCrossbar:
      return "switch to node " + text(link);
    case TopologyKind::kDragonfly: {
      const auto name = [&](RouterId router) {
        return "group " + text(group_of(router)) + " router " + text(router % group_routers_);
      };
      return name(from) + " to " + name(to);
    }
    case TopologyKind::kTree: {
      const auto name = [&](RouterId at) {
        return "level " + text(at / level_switches_) + " switch " + text(at % level_switches_);
      };
      return name(from) + " to " + name(to);
    }
    case TopologyKind::kTorus:
    case TopologyKind::kMesh:
      break;
  }
  static constexpr const char* kWays[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
  return "node " + text(link / kDirections) + " " + kWays[link % kDirections];
}

std::string Topology::describe() const {
  const auto text = [](std::uint32_t number) { return std::to_string(number); };
  switch (shape_.kind) {
    case TopologyKind::kCrossbar:
      return "crossbar";
    case TopologyKind::kDragonfly:
      return "dragonfly of " + text(groups_) + (groups_ == 1 ? " group of " : " groups of ") +
             text(shape_.rows) + " x " + text(shape_.columns) + " routers";
    case TopologyKind::kTree:
      return "tree of " + text(levels_) + (levels_ == 1 ? " level of " : " levels of ") +
             text(level_switches_) + " switches";
    case TopologyKind::kTorus:
    case TopologyKind::kMesh:
      break;
  }
  return (shape_.kind == TopologyKind::kTorus ? "torus " : "mesh ") + text(dimensions_[0]) + " x " +
         text(dimensions_[1]) + " x " + text(dimensions_[2]);
}

}  // namespace aqueduct::sim
