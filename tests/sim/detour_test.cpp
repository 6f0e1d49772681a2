// Ways around cables that are gone: real, shortest, found where there is any, and never waiting in a circle.
#include <queue>
#include <set>

#include "models.hpp"
#include "sim/detours.hpp"
#include "waiting_graph.hpp"

namespace aqueduct::sim {
namespace {

struct Net {
  Shape shape;
  fabric::NodeId nodes;
};

// Shapes of a few routers; the last one falls apart with any cable.
const Net kNets[] = {
    {{.kind = TopologyKind::kTorus}, 60},
    {{.kind = TopologyKind::kTorus}, 27},
    {{.kind = TopologyKind::kTorus}, 8},
    {{.kind = TopologyKind::kTorus, .axes = 1}, 7},
    {{.kind = TopologyKind::kMesh, .axes = 2}, 20},
    {{.kind = TopologyKind::kMesh}, 27},
    {{.kind = TopologyKind::kDragonfly, .columns = 3, .rows = 2, .nodes_per_router = 2, .global_links = 2},
     48},
    {{.kind = TopologyKind::kDragonfly, .columns = 4, .rows = 1, .nodes_per_router = 1, .global_links = 1},
     20},
    {{.kind = TopologyKind::kTree, .arity = 2}, 16},
    {{.kind = TopologyKind::kTree, .arity = 3}, 20},
    {{.kind = TopologyKind::kMesh, .axes = 1}, 9},
};

constexpr unsigned kFirst = 5;  // channel of the detours

struct Cabling {
  explicit Cabling(const Net& net) : topology(net.shape, net.nodes), detours(topology, kFirst) {
    std::vector<LinkId> links;
    for (RouterId router = 0; router < topology.routers(); ++router) {
      topology.links_from(router, links);
      for (const LinkId link : links)
        if (router < topology.ends(link)[1]) cables.insert({router, topology.ends(link)[1]});
    }
  }
  void cut(RouterId a, RouterId b) {
    for (const LinkId link : topology.links_between(a, b)) detours.avoid(link);
  }
  /// Routers that are `hops` away over cables that are left; ~0u: out of reach.
  std::vector<unsigned> hops_from(RouterId from) const {
    std::vector<unsigned> hops(topology.routers(), ~0u);
    std::queue<RouterId> border({from});
    hops[from] = 0;
    std::vector<LinkId> links;
    for (; !border.empty(); border.pop()) {
      topology.links_from(border.front(), links);
      for (const LinkId link : links) {
        const RouterId there = topology.ends(link)[1];
        if (detours.avoids(link) || hops[there] != ~0u) continue;
        hops[there] = hops[border.front()] + 1;
        border.push(there);
      }
    }
    return hops;
  }

  Topology topology;
  Detours detours;
  std::set<std::pair<RouterId, RouterId>> cables;
};

struct Found {
  unsigned pairs = 0, unreached = 0, longer = 0;
};

// Looks for a detour from all routers to all, or from each `apart`-th; every one that is found must be a way.
void look_everywhere(Cabling& net, Found& found, RouterId first, RouterId apart) {
  for (RouterId from = first; from < net.topology.routers(); from += apart) {
    const std::vector<unsigned> hops = net.hops_from(from);
    for (RouterId to = 0; to < net.topology.routers(); ++to) {
      if (to == from) continue;
      Steps steps;
      const bool is_found = net.detours.find(from, to, steps);
      if (hops[to] == ~0u) {
        ASSERT_FALSE(is_found) << net.topology.describe();
        continue;
      }
      ++found.pairs;
      found.unreached += !is_found;
      if (!is_found) continue;
      found.longer += steps.size() > hops[to];
      RouterId at = from;
      for (const Step& step : steps) {
        ASSERT_EQ(net.topology.ends(step.link)[0], at);
        ASSERT_FALSE(net.detours.avoids(step.link));
        ASSERT_GE(step.channel, kFirst);
        ASSERT_LT(step.channel, kFirst + Detours::kChannels);
        at = net.topology.ends(step.link)[1];
      }
      ASSERT_EQ(at, to);
      ASSERT_TRUE(net.detours.is_detour(steps));
      ASSERT_TRUE(net.detours.is_whole(steps));
    }
  }
}

// Where some way is left a detour is found, and a shortest one.
void expect_all(Cabling& net, RouterId first = 0, RouterId apart = 1) {
  Found found;
  ASSERT_NO_FATAL_FAILURE(look_everywhere(net, found, first, apart));
  EXPECT_EQ(found.unreached, 0u) << net.topology.describe();
  EXPECT_EQ(found.longer, 0u) << net.topology.describe();
}

TEST(Detours, LeadAroundAnyCable) {
  for (const Net& net : kNets) {
    const Cabling whole(net);
    for (const auto& [a, b] : whole.cables) {
      Cabling it(net);
      it.cut(a, b);
      ASSERT_NO_FATAL_FAILURE(expect_all(it, a, std::max(b - a, 8u)));
    }
  }
}

TEST(Detours, LeadAroundAnyRouter) {
  for (const Net& net : kNets) {
    const Cabling whole(net);
    for (RouterId router = 0; router < whole.topology.routers(); ++router) {
      Cabling it(net);
      for (const auto& [a, b] : it.cables)
        if (a == router || b == router) it.cut(a, b);
      ASSERT_NO_FATAL_FAILURE(expect_all(it, router % 4, 4));
    }
  }
}

void cut_some(Cabling& net, Random& random, unsigned percent) {
  for (const auto& [a, b] : net.cables)
    if (random.below(100) < percent) net.cut(a, b);
}

TEST(Detours, LeadAroundATenthOfAllCables) {
  for (const Net& net : kNets) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Cabling it(net);
      Random random(seed);
      cut_some(it, random, 10);
      ASSERT_NO_FATAL_FAILURE(expect_all(it));
    }
  }
}

TEST(Detours, AreTheSameEveryTime) {
  Cabling one(kNets[0]), other(kNets[0]);
  for (Cabling* it : {&one, &other}) it->cut(0, 1);
  Steps steps, again;
  one.detours.find(5, 9, steps);  // asked in another order
  for (RouterId to = 1; to < 60; ++to) {
    ASSERT_TRUE(one.detours.find(0, 60 - to, steps));
    ASSERT_TRUE(one.detours.find(0, to, steps));
    ASSERT_TRUE(other.detours.find(0, to, again));
    ASSERT_TRUE(std::ranges::equal(steps, again, [](const Step& a, const Step& b) {
      return a.link == b.link && a.channel == b.channel;
    }));
  }
}

// All detours that packets under way may have, chosen before and after any cable failed, in one graph.
TEST(Detours, NeverWaitForEachOtherInACircle) {
  for (const Net& net : kNets) {
    const Topology topology(net.shape, net.nodes);
    std::vector<std::set<std::uint32_t>> waits(std::size_t{topology.links()} * Detours::kChannels);
    const auto buffer = [](const Step& step) {
      return step.link * Detours::kChannels + step.channel - kFirst;
    };
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Cabling it(net);
      Random random(seed);
      for (unsigned failure = 0; failure < 4; ++failure) {
        for (RouterId from = 0; from < topology.routers(); ++from) {
          for (RouterId to = 0; to < topology.routers(); ++to) {
            Steps steps;
            if (!it.detours.find(from, to, steps)) continue;
            for (std::size_t i = 1; i < steps.size(); ++i)
              waits[buffer(steps[i - 1])].insert(buffer(steps[i]));
          }
        }
        cut_some(it, random, 10);
      }
    }
    EXPECT_TRUE(has_no_circle(waits)) << topology.describe();
  }
}

}  // namespace
}  // namespace aqueduct::sim
