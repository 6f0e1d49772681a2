// Time and data on the simulated network, when nothing goes wrong.
#include "sim/network.hpp"

#include "station.hpp"

namespace aqueduct::sim {
namespace {

struct Pair {
  explicit Pair(const TestModel& test = {}, fabric::NodeId nodes = 2,
                const std::vector<std::string>& settings = {})
      : model(make_model(test, settings)), simulation({.model = &model, .nodes = nodes}) {
    for (fabric::NodeId node = 0; node < nodes; ++node)
      stations.push_back(std::make_unique<Station>(simulation, node));
  }
  Station& operator[](fabric::NodeId node) { return *stations[node]; }
  NetworkModel model;
  Simulation simulation;
  std::vector<std::unique_ptr<Station>> stations;
};

TEST(Network, AHeaderTakesTheGateTheLinkAndItsBytes) {
  Pair pair;
  pair[0].send(1, std::string(32, 'h'), "", 5);
  EXPECT_TRUE(pair.simulation.run());
  ASSERT_EQ(pair[1].arrivals.size(), 1u);
  // 200 ns before it leaves, 100 ns for the hop, a nanosecond for each of its bytes: they are cut through.
  EXPECT_EQ(pair[1].arrivals[0].when, ns(200 + 32 + 100));
  EXPECT_EQ(pair[1].arrivals[0].header, std::string(32, 'h'));
  EXPECT_TRUE(pair[1].arrivals[0].came_along);
  ASSERT_EQ(pair[0].sends.size(), 1u);
  EXPECT_EQ(pair[0].sends[0].when, ns(200 + 32));
  EXPECT_EQ(pair[0].sends[0].cookie, 5u);
  ASSERT_EQ(pair[1].landings.size(), 1u);
}

TEST(Network, ASmallPayloadComesAlongAndALargeOneFollows) {
  Pair pair;
  const std::string small = pattern(64), large = pattern(65);
  pair[0].send(1, "small---", small);
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[1].arrivals.at(0).when, ns(200 + 8 + 64 + 100));
  EXPECT_TRUE(pair[1].arrivals[0].came_along);
  const Time start = pair.simulation.engine().now();
  pair[0].send(1, "large---", large);
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[1].arrivals.at(1).when - start, ns(200 + 8 + 100));
  EXPECT_FALSE(pair[1].arrivals[1].came_along);
  EXPECT_EQ(pair[1].landings.at(1).when - start, ns(200 + 8 + 100 + 65));
  EXPECT_EQ(pair[1].landed_bytes[0], small);
  EXPECT_EQ(pair[1].landed_bytes[1], large);
}

TEST(Network, MessagesOfOneNodeLeaveOneAfterTheOther) {
  Pair pair({}, 3);
  const std::string payload = pattern(1000);
  pair[0].send(1, "12345678", payload, 1);
  pair[0].send(2, "12345678", payload, 2);
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[0].sends.at(0).when, ns(200 + 8 + 1000));
  EXPECT_EQ(pair[0].sends.at(1).when, ns(2 * (200 + 8 + 1000)));
  EXPECT_EQ(pair[1].landings.at(0).when, ns(200 + 8 + 1000 + 100));
  EXPECT_EQ(pair[2].landings.at(0).when, ns(2 * (200 + 8 + 1000) + 100));
}

TEST(Network, TwoNodesThatSendToOneShareItsGate) {
  Pair pair({}, 3);
  const std::string payload = pattern(4000);
  pair[0].send(2, "12345678", payload);
  pair[1].send(2, "12345678", payload);
  EXPECT_TRUE(pair.simulation.run());
  ASSERT_EQ(pair[2].landings.size(), 2u);
  // The second one's bytes have to wait for the first one's on the wire into the node.
  EXPECT_EQ(pair[2].landings[0].when, ns(200 + 8 + 100 + 4000));
  EXPECT_EQ(pair[2].landings[1].when, ns(200 + 8 + 100 + 4000 + 8 + 4000));
}

TEST(Network, BothDirectionsOfACableAreIndependent) {
  Pair pair;
  const std::string payload = pattern(5000);
  pair[0].send(1, "12345678", payload);
  pair[1].send(0, "12345678", payload);
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[0].landings.at(0).when, ns(200 + 8 + 100 + 5000));
  EXPECT_EQ(pair[1].landings.at(0).when, ns(200 + 8 + 100 + 5000));
}

TEST(Network, ALongMessageTakesFewEventsAndLetsOthersThrough) {
  Pair pair({.topology = "mesh"}, 3);  // 0 - 1 - 2
  const std::string large = pattern(std::size_t{1} << 20), small = "x";
  pair[0].send(2, "12345678", large);
  pair.simulation.engine().at(ns(100000), {}, [&] { pair[1].send(2, "12345678", small); });
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[2].landed_bytes[0], large);
  // 4096 packets over two hops, 256 bursts.
  EXPECT_LT(pair.simulation.engine().events(), 300u);
  // The short message waits for the burst that is on the link, not for the megabyte.
  ASSERT_EQ(pair[2].arrivals.size(), 2u);
  EXPECT_LT(pair[2].arrivals[1].when, ns(100000 + 2 * Network::kBurstBytes + 1000));
  EXPECT_NEAR(static_cast<double>(pair[2].landings.back().when),
              static_cast<double>(ns(200 + 8 + 200 + (1 << 20))), static_cast<double>(ns(20000)));
}

TEST(Network, EachHopTakesItsTime) {
  Pair pair({.topology = "torus"}, 64);  // 4 x 4 x 4
  for (fabric::NodeId node = 1; node < 64; ++node) {
    const Time start = pair.simulation.engine().now();
    pair[0].send(node, "12345678", "");
    EXPECT_TRUE(pair.simulation.run());
    const unsigned hops = pair.simulation.topology().distance(0, node);
    EXPECT_EQ(pair.simulation.port(0).distance(node), hops);
    EXPECT_EQ(pair[node].arrivals.at(0).when - start, ns(200 + 8 + 100 * hops));
  }
}

TEST(Network, ASlowGateAtTheEndBeginsWhenTheHeaderHasComeAllTheWay) {
  Pair pair({.topology = "mesh"}, 3, {"ejection.bandwidth=0.5GB/s"});
  pair[0].send(2, std::string(32, 'h'), "");
  EXPECT_TRUE(pair.simulation.run());
  // 200 ns before it leaves, two hops, and two nanoseconds for each byte at the last gate.
  EXPECT_EQ(pair[2].arrivals.at(0).when, ns(200 + 2 * 100 + 2 * 32));
}

TEST(Network, AMessageToOneselfIsCarriedLikeAnyOther) {
  Pair pair;
  const std::string payload = pattern(3000);
  pair[0].send(0, "12345678", payload);
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[0].landed_bytes.at(0), payload);
  EXPECT_EQ(pair[0].landings.at(0).when, ns(200 + 8 + 3000));
}

TEST(Network, WhatIsAcceptedLateFlowsThen) {
  Pair pair;
  pair[1].accepts_after = 50 * kMicrosecond;
  const std::string payload = pattern(4000);
  pair[0].send(1, "12345678", payload);
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[1].landings.at(0).when, ns(200 + 8 + 100 + 50000 + 4000));
  EXPECT_EQ(pair[1].landed_bytes[0], payload);
}

TEST(Network, WhatIsAcceptedLateFlowsAsFastAsTheGateTakesItsPackets) {
  Pair pair({}, 2, {"ejection.per_packet=50ns"});
  pair[1].accepts_after = 50 * kMicrosecond;
  const std::string payload = pattern(4000);
  pair[0].send(1, "12345678", payload);
  EXPECT_TRUE(pair.simulation.run());
  const Time accepted = pair[1].arrivals.at(0).when + ns(50000);
  EXPECT_EQ(pair[1].landings.at(0).when, accepted + ns(4000 + 16 * 50));
}

TEST(Network, OnlyWhatIsKeptIsWritten) {
  Pair pair;
  pair[1].keep_at_most = 10;
  const std::string payload = pattern(4000);
  pair[0].send(1, "12345678", payload);
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(pair[1].landed_bytes[0], payload.substr(0, 10));
}

TEST(Network, APayloadIsReadUntilItIsReportedAsSent) {
  Pair pair;
  std::string payload = pattern(4000), before = payload;
  pair[0].send(1, "12345678", payload);
  pair.simulation.engine().at(ns(300), {}, [&] { payload[3999] ^= 1; });  // too early: it has not left yet
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_NE(pair[1].landed_bytes[0], before);
  pair[0].send(1, "12345678", payload);
  before = payload;
  pair.simulation.run();
  EXPECT_EQ(pair[1].landed_bytes[1], before);
}

TEST(Network, AFullPortAsksToTryAgainAndWakesWhoWaits) {
  Pair pair;
  unsigned refused = 0, sent = 0;
  Host& host = pair.simulation.host(0);
  pair.simulation.fibers().start(host, "flood", [&] {
    for (unsigned i = 0; i < 5000; ++i) {
      std::uint64_t seen = host.activity();
      while (pair[0].send(1, "12345678", "") == fabric::Post::kRetry) {
        ++refused;
        host.rest(seen, "room");
        seen = host.activity();
      }
      ++sent;
    }
  });
  EXPECT_TRUE(pair.simulation.run());
  EXPECT_EQ(sent, 5000u);
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(pair[1].arrivals.size(), 5000u);
}

TEST(Network, PortsOfOneNodeShareItsGates) {
  const NetworkModel model = make_model();
  Simulation simulation({.model = &model, .nodes = 2, .ports_per_node = 2});
  std::vector<std::unique_ptr<Station>> ports;
  for (fabric::NodeId port = 0; port < 4; ++port)
    ports.push_back(std::make_unique<Station>(simulation, port));
  const std::string payload = pattern(1000);
  ports[0]->send(2, "12345678", payload);
  ports[1]->send(3, "12345678", payload);
  EXPECT_EQ(simulation.port(0).traits().nodes, 4u);
  EXPECT_EQ(simulation.port(0).distance(1), 0u);
  EXPECT_EQ(simulation.port(0).distance(3), 1u);
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(ports[2]->landings.at(0).when, ns(200 + 8 + 1000 + 100));
  EXPECT_EQ(ports[3]->landings.at(0).when, ns(2 * (200 + 8 + 1000) + 100));
}

}  // namespace
}  // namespace aqueduct::sim
