// Which way a packet takes, with queues as the test has them.
#include "sim/routing.hpp"

#include <map>
#include <set>

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
  Chooser(const char* topology, const char* routing, fabric::NodeId nodes)
      : model(make_model({.topology = topology, .routing = routing})),
        shape(model.shape, nodes),
        router(model, shape, queues, 1) {}

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

}  // namespace
}  // namespace aqueduct::sim
