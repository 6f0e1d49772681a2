// Routes against brute force: every step goes to a neighbour, x before y before z, by the shortest way.
#include <map>
#include <queue>
#include <set>

#include "models.hpp"

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
