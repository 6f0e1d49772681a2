// Routes against brute force: every step goes to a neighbour, x before y before z, by the shortest way.
#include <filesystem>
#include <map>
#include <queue>
#include <set>

#include "models.hpp"
#include "waiting_graph.hpp"

namespace aqueduct::sim {
namespace {

struct Case {
  TopologyKind kind;
  Topology::Dimensions box;
};

using Place = std::array<std::uint32_t, 3>;

Place place_of(fabric::NodeId node, const Topology::Dimensions& box) {
  return {node % box[0], node / box[0] % box[1], node / box[0] / box[1]};
}
fabric::NodeId node_at(const Place& place, const Topology::Dimensions& box) {
  return place[0] + box[0] * (place[1] + box[1] * place[2]);
}

// Where the link in direction 0..5 (+x -x +y -y +z -z) leads; nothing at the edge of a mesh.
std::optional<fabric::NodeId> across(fabric::NodeId node, unsigned direction, const Case& it) {
  Place place = place_of(node, it.box);
  const unsigned axis = direction / 2;
  const std::uint32_t size = it.box[axis];
  const bool up = direction % 2 == 0;
  if (it.kind == TopologyKind::kMesh && (up ? place[axis] + 1 == size : place[axis] == 0))
    return std::nullopt;
  place[axis] = (place[axis] + (up ? 1 : size - 1)) % size;
  return node_at(place, it.box);
}

// Hops from `from` to all nodes, by breadth-first search.
std::vector<unsigned> flood(fabric::NodeId from, const Case& it, fabric::NodeId nodes) {
  std::vector<unsigned> hops(nodes, ~0u);
  std::queue<fabric::NodeId> border({from});
  hops[from] = 0;
  while (!border.empty()) {
    const fabric::NodeId node = border.front();
    border.pop();
    for (unsigned direction = 0; direction < 6; ++direction) {
      const std::optional<fabric::NodeId> next = across(node, direction, it);
      if (!next || hops[*next] != ~0u) continue;
      hops[*next] = hops[node] + 1;
      border.push(*next);
    }
  }
  return hops;
}

TEST(Topology, RoutesAreShortestInOrderOfDimensionsAndAlongRealLinks) {
  const Case cases[] = {{TopologyKind::kTorus, {4, 4, 4}}, {TopologyKind::kTorus, {5, 3, 2}},
                        {TopologyKind::kTorus, {7, 1, 1}}, {TopologyKind::kTorus, {2, 2, 2}},
                        {TopologyKind::kMesh, {4, 3, 5}},  {TopologyKind::kMesh, {6, 1, 2}}};
  for (const Case& it : cases) {
    const Topology topology(it.kind, it.box);
    for (fabric::NodeId from = 0; from < topology.nodes(); ++from) {
      const std::vector<unsigned> hops = flood(from, it, topology.nodes());
      for (fabric::NodeId to = 0; to < topology.nodes(); ++to) {
        fabric::NodeId at = from;
        unsigned steps = 0, axis_before = 0;
        topology.route(from, to, [&](LinkId link) {
          ASSERT_EQ(link / 6, at) << "a link that does not start where we are";
          ASSERT_GE(link % 6 / 2, axis_before) << "dimensions out of order";
          axis_before = link % 6 / 2;
          const std::optional<fabric::NodeId> next = across(at, link % 6, it);
          ASSERT_TRUE(next.has_value()) << "a link beyond the edge";
          at = *next;
          ++steps;
        });
        ASSERT_EQ(at, to);
        ASSERT_EQ(steps, hops[to]);
        ASSERT_EQ(topology.distance(from, to), hops[to]);
      }
    }
  }
}

// Shapes in a few routers, and the ways that each routing may take.
struct Ways {
  Shape shape;
  fabric::NodeId nodes;
  Routing routing;
};

std::vector<Way> ways_between(const Topology& topology, fabric::NodeId from, fabric::NodeId to,
                              Routing routing) {
  std::vector<Way> ways{topology.usual(from, to)};
  if (routing == Routing::kFixed) return ways;
  for (std::uint32_t spread = 0; spread < 12; ++spread) {
    for (const bool backwards : {false, true}) ways.push_back({.backwards = backwards, .spread = spread});
    if (topology.kind() != TopologyKind::kDragonfly || routing != Routing::kAdaptive) continue;
    const RouterId start = topology.router_of(from), end = topology.router_of(to);
    const bool same = topology.group_of(start) == topology.group_of(end);
    const std::uint32_t first = same ? topology.group_of(start) * topology.group_routers() : 0;
    for (std::uint32_t via = first; via < (same ? first + topology.group_routers() : topology.groups());
         ++via) {
      const bool is_end = same ? via == start || via == end
                               : via == topology.group_of(start) || via == topology.group_of(end);
      if (!is_end) ways.push_back({.spread = spread, .via = via});
    }
  }
  return ways;
}

const Ways kWays[] = {
    {{.kind = TopologyKind::kTorus}, 27, Routing::kFixed},
    {{.kind = TopologyKind::kTorus}, 60, Routing::kAdaptive},
    {{.kind = TopologyKind::kTorus, .axes = 1}, 7, Routing::kFixed},
    {{.kind = TopologyKind::kMesh, .axes = 2}, 20, Routing::kFixed},
    {{.kind = TopologyKind::kMesh}, 27, Routing::kHashed},
    {{.kind = TopologyKind::kDragonfly, .columns = 3, .rows = 2, .nodes_per_router = 2, .global_links = 2},
     48,
     Routing::kFixed},
    {{.kind = TopologyKind::kDragonfly, .columns = 3, .rows = 2, .nodes_per_router = 2, .global_links = 2},
     48,
     Routing::kAdaptive},
    {{.kind = TopologyKind::kDragonfly, .columns = 4, .rows = 1, .nodes_per_router = 1, .global_links = 1},
     20,
     Routing::kAdaptive},
    {{.kind = TopologyKind::kTree, .arity = 2}, 16, Routing::kHashed},
    {{.kind = TopologyKind::kTree, .arity = 3}, 20, Routing::kAdaptive},
};

TEST(Topology, EveryWayLeadsAlongRealLinksToItsEnd) {
  for (const Ways& it : kWays) {
    const Topology topology(it.shape, it.nodes);
    Steps steps;
    for (fabric::NodeId from = 0; from < it.nodes; ++from) {
      for (fabric::NodeId to = 0; to < it.nodes; ++to) {
        for (const Way& way : ways_between(topology, from, to, it.routing)) {
          topology.find(from, to, way, steps);
          RouterId at = topology.router_of(from);
          for (const Step& step : steps) {
            ASSERT_LT(step.link, topology.links());
            ASSERT_LT(step.channel, topology.channels_needed(it.routing));
            ASSERT_EQ(topology.ends(step.link)[0], at) << topology.describe(step.link);
            at = topology.ends(step.link)[1];
          }
          ASSERT_EQ(at, topology.router_of(to)) << topology.describe();
        }
        topology.find(from, to, topology.usual(from, to), steps);
        ASSERT_EQ(topology.distance(from, to), steps.size());
      }
    }
  }
}

// Buffers wait for each other along ways alone. Where their graph has no circle, none can wait for itself.
TEST(Topology, NoBuffersWaitForEachOtherInACircle) {
  for (const Ways& it : kWays) {
    const Topology topology(it.shape, it.nodes);
    const unsigned channels = topology.channels_needed(it.routing);
    std::vector<std::set<std::uint32_t>> waits(std::size_t{topology.links()} * channels);
    Steps steps;
    for (fabric::NodeId from = 0; from < it.nodes; ++from) {
      for (fabric::NodeId to = 0; to < it.nodes; ++to) {
        for (const Way& way : ways_between(topology, from, to, it.routing)) {
          topology.find(from, to, way, steps);
          for (std::size_t i = 1; i < steps.size(); ++i)
            waits[steps[i - 1].link * channels + steps[i - 1].channel].insert(steps[i].link * channels +
                                                                              steps[i].channel);
        }
      }
    }
    EXPECT_TRUE(has_no_circle(waits)) << topology.describe();
  }
}

TEST(Topology, GroupsOfADragonflyShareTheirGlobalLinksEvenly) {
  const Topology topology(
      {.kind = TopologyKind::kDragonfly, .columns = 16, .rows = 6, .nodes_per_router = 4, .global_links = 10},
      384 * 5);
  EXPECT_EQ(topology.groups(), 5u);
  EXPECT_EQ(topology.links_between_groups(), 240u);  // 96 routers x 10, for four other groups
  std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> between;
  for (LinkId link = 0; link < topology.links(); ++link) {
    const auto [from, to] = topology.ends(link);
    if (topology.class_of(link) == LinkClass::kGlobal)
      ++between[{topology.group_of(from), topology.group_of(to)}];
  }
  EXPECT_EQ(between.size(), 20u);
  for (const auto& [pair, count] : between) EXPECT_EQ(count, 240u);
  // Within a group two hops at most, between groups five.
  for (fabric::NodeId to = 0; to < topology.nodes(); to += 7)
    EXPECT_LE(topology.distance(5, to), to < 384 ? 2u : 5u);
}

// How often each of the global links between two groups is used by what one sends to the other.
using GlobalLoads = std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<LinkId, unsigned>>;

void add_usual(const Topology& topology, fabric::NodeId from, fabric::NodeId to, GlobalLoads& loads) {
  const std::pair groups(topology.group_of(topology.router_of(from)),
                         topology.group_of(topology.router_of(to)));
  topology.route(from, to, [&](LinkId link) {
    if (topology.class_of(link) == LinkClass::kGlobal) ++loads[groups][link];
  });
}

// Between each two groups so many messages use as many links as they can, and none much more than others.
void expect_even(const Topology& topology, const GlobalLoads& loads, const std::string& what) {
  for (const auto& [groups, links] : loads) {
    unsigned messages = 0, most = 0;
    for (const auto& [link, count] : links) {
      messages += count;
      most = std::max(most, count);
    }
    const unsigned all = topology.links_between_groups();
    ASSERT_EQ(links.size(), std::min(messages, all)) << what;
    ASSERT_EQ(most, (messages + all - 1) / all) << what;
  }
}

void expect_even_shifts(const Shape& shape, fabric::NodeId nodes, fabric::NodeId step) {
  const Topology topology(shape, nodes);
  for (fabric::NodeId shift = 1; shift < nodes; shift += step) {
    GlobalLoads loads;
    for (fabric::NodeId from = 0; from < nodes; ++from)
      add_usual(topology, from, (from + shift) % nodes, loads);
    ASSERT_NO_FATAL_FAILURE(expect_even(topology, loads, "shift by " + std::to_string(shift)));
  }
  for (fabric::NodeId from = 0; from < nodes; from += step) {
    GlobalLoads loads;
    for (fabric::NodeId to = 0; to < nodes; ++to) add_usual(topology, from, to, loads);
    ASSERT_NO_FATAL_FAILURE(expect_even(topology, loads, "from " + std::to_string(from)));
  }
}

TEST(Topology, EveryShiftUsesAllGlobalLinksOfADragonfly) {
  unsigned dragonflies = 0;
  for (const auto& entry : std::filesystem::directory_iterator(AQUEDUCT_NETWORKS)) {
    std::string error;
    const auto model = NetworkModel::load(entry.path().string(), {}, &error);
    ASSERT_TRUE(model.has_value()) << error;
    if (model->topology != TopologyKind::kDragonfly) continue;
    ++dragonflies;
    const fabric::NodeId group = model->shape.columns * model->shape.rows * model->shape.nodes_per_router;
    for (const fabric::NodeId nodes : {2 * group, 2 * group - 100, 5 * group})
      ASSERT_NO_FATAL_FAILURE(expect_even_shifts(model->shape, nodes, nodes / 40 | 1)) << entry.path();
  }
  EXPECT_GE(dragonflies, 2u);
  // Few links between groups, of an even and an odd number.
  for (const std::uint32_t global_links : {1u, 2u, 3u}) {
    const Shape shape{.kind = TopologyKind::kDragonfly,
                      .columns = 3,
                      .rows = 2,
                      .nodes_per_router = 2,
                      .global_links = global_links};
    for (const fabric::NodeId nodes : {24u, 36u, 48u})
      ASSERT_NO_FATAL_FAILURE(expect_even_shifts(shape, nodes, 1)) << global_links;
  }
}

TEST(Topology, BoxesOfFewerAxesAreFlat) {
  EXPECT_EQ(Topology::box_for(64, 2), (Topology::Dimensions{8, 8, 1}));
  EXPECT_EQ(Topology::box_for(64, 1), (Topology::Dimensions{64, 1, 1}));
}

TEST(Topology, EqualWaysRoundGoUpwards) {
  const Topology ring(TopologyKind::kTorus, {4, 1, 1});
  std::vector<LinkId> links;
  ring.route(0, 2, [&](LinkId link) { links.push_back(link); });
  EXPECT_EQ(links, (std::vector<LinkId>{0, 6}));
}

TEST(Topology, ACrossbarIsOneHopFromEverywhereToEverywhere) {
  const Topology topology(TopologyKind::kCrossbar, {9, 1, 1});
  for (fabric::NodeId from = 0; from < 9; ++from) {
    for (fabric::NodeId to = 0; to < 9; ++to) {
      std::vector<LinkId> links;
      topology.route(from, to, [&](LinkId link) { links.push_back(link); });
      EXPECT_EQ(links, from == to ? std::vector<LinkId>{} : std::vector<LinkId>{to});
      EXPECT_EQ(topology.distance(from, to), links.size());
    }
  }
}

TEST(Topology, BoxesAreAsCubicAsTheNumberAllows) {
  EXPECT_EQ(Topology::box_for(64), (Topology::Dimensions{4, 4, 4}));
  EXPECT_EQ(Topology::box_for(16384), (Topology::Dimensions{32, 32, 16}));
  EXPECT_EQ(Topology::box_for(12), (Topology::Dimensions{3, 2, 2}));
  EXPECT_EQ(Topology::box_for(13), (Topology::Dimensions{13, 1, 1}));
  EXPECT_EQ(Topology::box_for(1), (Topology::Dimensions{1, 1, 1}));
}

}  // namespace
}  // namespace aqueduct::sim
