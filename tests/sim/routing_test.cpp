// Which way a packet takes, with queues as the test has them.
#include "sim/routing.hpp"

#include <algorithm>
#include <map>

#include "models.hpp"

namespace aqueduct::sim {
namespace {

struct Queues final : LinkQueues {
  std::map<LinkId, unsigned> packets;
  unsigned usual = 0;  // of all other links

  unsigned queued(LinkId link) const override {
    const auto found = packets.find(link);
    return found == packets.end() ? usual : found->second;
  }
};

// A router of the test's shapes: groups of 3 x 2 routers of two nodes; switches of two.
struct Chooser {
  Chooser(const char* topology, const char* routing, fabric::NodeId nodes, bool cables_fail = false)
      : model(make_model({.topology = topology, .routing = routing})),
        shape(model.shape, nodes),
        router(model, shape, queues, 1, cables_fail) {}

  Steps way(fabric::NodeId from, fabric::NodeId to, bool in_order = false) {
    Steps steps;
    router.choose(from, to, in_order, steps);
    return steps;
  }
  /// How many of `tries` packets take one hop.
  unsigned direct(fabric::NodeId from, fabric::NodeId to, unsigned tries) {
    unsigned count = 0;
    for (unsigned i = 0; i < tries; ++i) count += way(from, to).size() == 1;
    return count;
  }

  NetworkModel model;
  Topology shape;
  Queues queues;
  Router router;
};

TEST(Routing, AdaptiveWeighsAQueueByTheHopsBehindIt) {
  // Routers 0 and 1 are neighbours in a row of one group: one hop, or two or three through another router.
  Chooser it("dragonfly", "adaptive", 48);
  const LinkId direct = it.way(0, 2).at(0).link;
  it.queues.usual = 1;
  it.queues.packets[direct] = 2;
  EXPECT_EQ(it.direct(0, 2, 200), 200u) << "2 x 1 is not more than 1 x 2";
  it.queues.packets[direct] = 3;
  const unsigned through_two_hops = 200 - it.direct(0, 2, 200);
  EXPECT_GT(through_two_hops, 0u) << "3 x 1 is more than 1 x 2";
  for (int i = 0; i < 200; ++i) EXPECT_LE(it.way(0, 2).size(), 2u) << "3 x 1 is not more than 1 x 3";
  it.queues.packets[direct] = 4;
  EXPECT_LT(it.direct(0, 2, 200), 200 - through_two_hops) << "then through any other router";
  it.queues.usual = 0;
  it.queues.packets.clear();
  EXPECT_EQ(it.direct(0, 2, 200), 200u) << "where nothing waits, the shortest";
}

bool same(const Steps& a, const Steps& b) {
  return std::ranges::equal(a, b, [](const Step& one, const Step& other) {
    return one.link == other.link && one.channel == other.channel;
  });
}

// Of 12 nodes each sends to all, before and after a cable of router 0 is avoided.
TEST(Routing, OnlyWaysOverACableThatIsAvoidedChange) {
  for (const char* topology : {"torus", "mesh", "dragonfly", "tree"}) {
    const std::string name = topology;
    const char* usual = name == "torus" || name == "mesh" ? "dimension-order" : "minimal";
    for (const char* routing : {usual, "hashed"}) {
      Chooser whole(topology, routing, 12), it(topology, routing, 12, true);
      std::vector<LinkId> links;
      it.shape.links_from(0, links);
      const std::vector<LinkId> gone = it.shape.links_between(0, it.shape.ends(links.at(0))[1]);
      EXPECT_GE(gone.size(), 2u);
      for (const LinkId link : gone) it.router.avoid(link);
      unsigned changed = 0;
      for (fabric::NodeId from = 0; from < 12; ++from) {
        for (fabric::NodeId to = 0; to < 12; ++to) {
          const Steps before = whole.way(from, to), after = it.way(from, to);
          const auto is_gone = [&](const Step& step) {
            return std::ranges::find(gone, step.link) != gone.end();
          };
          EXPECT_TRUE(std::ranges::none_of(after, is_gone));
          const bool was_hit = std::ranges::any_of(before, is_gone);
          changed += was_hit;
          EXPECT_EQ(it.router.is_detour(after), was_hit);
          if (!was_hit) {
            EXPECT_TRUE(same(before, after)) << topology << " " << routing;
          }
          EXPECT_TRUE(same(after, it.way(from, to))) << "always the same for a pair";
        }
      }
      EXPECT_GT(changed, 0u) << topology << " " << routing;
    }
  }
}

TEST(Routing, AdaptiveTakesItsOtherCandidatesBeforeADetour) {
  // 0 to 5 of 4 x 4 x 1: over 1 or over 4. The cable to 1 is avoided.
  Chooser torus("torus", "adaptive", 16, true);
  for (const LinkId link : torus.shape.links_between(0, 1)) torus.router.avoid(link);
  for (int i = 0; i < 100; ++i) {
    const Steps way = torus.way(0, 5);
    ASSERT_FALSE(torus.router.is_detour(way));
    ASSERT_EQ(way.size(), 2u);
    ASSERT_EQ(torus.shape.ends(way[0].link)[1], 4u);
  }
  EXPECT_TRUE(torus.router.is_detour(torus.way(0, 1)));
  EXPECT_EQ(torus.way(0, 1).size(), 3u);
  EXPECT_EQ(torus.way(0, 1, true).size(), 3u) << "a message that asks for order, too";
  // A group of 3 x 2: there is a third router to go through.
  Chooser group("dragonfly", "adaptive", 12, true);
  for (const LinkId link : group.shape.links_between(0, 1)) group.router.avoid(link);
  unsigned detours = 0;
  for (int i = 0; i < 400; ++i) {
    const Steps way = group.way(0, 2);
    for (const Step& step : way) {
      const auto ends = group.shape.ends(step.link);
      ASSERT_FALSE(ends[0] + ends[1] == 1);
    }
    detours += group.router.is_detour(way);
  }
  EXPECT_LT(detours, 200u) << "only where both routers that were drawn lead over the cable";
}

TEST(Routing, WithoutAnyWayTheUsualOneStays) {
  Chooser it("mesh", "dimension-order", 4, true);  // 2 x 2
  const Steps usual = it.way(0, 3);
  std::vector<LinkId> links;
  it.shape.links_from(0, links);
  EXPECT_EQ(links.size(), 2u);
  for (const LinkId link : links) it.router.avoid(link);
  EXPECT_TRUE(same(it.way(0, 3), usual));
}

}  // namespace
}  // namespace aqueduct::sim
