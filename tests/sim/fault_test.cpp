// What goes wrong: each fault is reached, below the ports nobody notices, and what cannot be delivered is
// said.
#include "sim/crc32.hpp"
#include "sim/network.hpp"
#include "station.hpp"

namespace aqueduct::sim {
namespace {

FaultPlan plan(const char* text) {
  FaultPlan plan;
  std::string error;
  EXPECT_TRUE(plan.add(text, &error)) << error;
  return plan;
}

struct World {
  World(const TestModel& test, fabric::NodeId nodes, const char* faults, std::uint64_t seed = 1)
      : model(make_model(test)),
        simulation({.model = &model, .nodes = nodes, .seed = seed, .faults = plan(faults)}) {
    for (fabric::NodeId node = 0; node < nodes; ++node)
      stations.push_back(std::make_unique<Station>(simulation, node));
  }
  Station& operator[](fabric::NodeId node) { return *stations[node]; }
  std::uint64_t count(FaultProbe probe) { return simulation.faults().count(probe); }
  NetworkModel model;
  Simulation simulation;
  std::vector<std::unique_ptr<Station>> stations;
};

TEST(Crc32, IsTheOneOfEthernetAndCatchesEverySingleBit) {
  const char check[] = "123456789";
  EXPECT_EQ(crc32(check, 9), 0xcbf43926u);
  EXPECT_EQ(crc32(check + 4, 5, crc32(check, 4)), 0xcbf43926u);
  std::string bytes = pattern(100);
  const std::uint32_t crc = crc32(bytes.data(), bytes.size());
  for (std::size_t bit = 0; bit < 800; ++bit) {
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_NE(crc32(bytes.data(), bytes.size()), crc);
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
}

// Sends everything through a network that fails in every way it can below the ports.
TEST(Faults, BelowTheReliabilityLayerNothingIsNoticedButTime) {
  for (const bool ordered : {true, false}) {
    World world({.ordered = ordered, .tries = 50}, 3,
                ordered
                    ? "drop=200000 corrupt=200000 duplicate=200000 delay=300000 delay-by=5us"
                    : "drop=200000 corrupt=200000 duplicate=200000 delay=300000 reorder=300000 delay-by=5us");
    std::vector<std::string> payloads;
    for (std::uint64_t i = 0; i < 400; ++i) payloads.push_back(pattern(i % 3 == 0 ? i : 7 * i, i + 1));
    for (std::uint64_t i = 0; i < 400; ++i)
      world[0].send(1 + i % 2, "no " + std::to_string(i), payloads[i], i);
    EXPECT_TRUE(world.simulation.run());
    EXPECT_EQ(world[0].sends.size(), 400u);
    EXPECT_EQ(world[0].failures.size(), 0u);
    std::size_t out_of_order = 0;
    for (fabric::NodeId node = 1; node <= 2; ++node) {
      ASSERT_EQ(world[node].arrivals.size(), 200u);
      ASSERT_EQ(world[node].landings.size(), 200u);
      std::uint64_t last = 0;
      for (std::size_t k = 0; k < 200; ++k) {
        const std::uint64_t number = std::stoull(world[node].arrivals[k].header.substr(3));
        out_of_order += number < last;
        last = number;
        EXPECT_EQ(world[node].landed_bytes[k], payloads[number]);
      }
    }
    for (const FaultProbe probe : {FaultProbe::kHeaderDropped, FaultProbe::kPayloadDropped,
                                   FaultProbe::kHeaderCorrupted, FaultProbe::kPayloadCorrupted,
                                   FaultProbe::kDuplicate, FaultProbe::kDelayed, FaultProbe::kRetried}) {
      EXPECT_GT(world.count(probe), 0u) << name_of(probe);
    }
    EXPECT_EQ(world.count(FaultProbe::kUndeliverable), 0u);
    if (ordered) {
      EXPECT_EQ(out_of_order, 0u);
      EXPECT_GT(world.count(FaultProbe::kHeldForOrder), 0u);
    } else {
      EXPECT_GT(out_of_order, 0u);
      EXPECT_GT(world.count(FaultProbe::kReordered), 0u);
    }
  }
}

TEST(Faults, WhatIsLostIsSentAgainAfterTheTimeout) {
  World world({}, 2, "drop=1000000");
  world[0].send(1, "12345678", "", 9);
  EXPECT_TRUE(world.simulation.run());
  // Eight tries of 208 ns, each heard nothing of for 20 us.
  ASSERT_EQ(world[0].failures.size(), 1u);
  EXPECT_EQ(world[0].failures[0].cookie, 9u);
  EXPECT_EQ(world[0].failures[0].when, 8 * (208 + 20000) * kNanosecond);
  EXPECT_EQ(world[1].arrivals.size(), 0u);
  EXPECT_EQ(world[0].sends.size(), 1u);
}

TEST(Faults, AMessageThatIsGivenUpDoesNotHoldUpTheNext) {
  // Half of all tries are lost and there are only two: some messages never come, in between others.
  World world({.tries = 2}, 2, "drop=500000");
  const std::string none, some = pattern(500);
  for (std::uint64_t i = 0; i < 300; ++i) world[0].send(1, std::to_string(i), i % 2 ? none : some, i);
  EXPECT_TRUE(world.simulation.run());
  EXPECT_GT(world.count(FaultProbe::kUndeliverable), 0u);
  EXPECT_GT(world.count(FaultProbe::kHalfArrived), 0u);
  std::size_t half = 0;
  for (const Station::Done& landing : world[1].landings) half += !landing.ok;
  EXPECT_GT(half, 0u);
  EXPECT_EQ(world[1].arrivals.size(), world[1].landings.size());
  EXPECT_EQ(world[1].arrivals.size() - half + world[0].failures.size(), 300u);
  for (std::size_t k = 1; k < world[1].arrivals.size(); ++k) {
    EXPECT_LT(std::stoi(world[1].arrivals[k - 1].header), std::stoi(world[1].arrivals[k].header));
  }
}

TEST(Faults, ADiscardedMessageIsForgottenAlsoIfItsPayloadIsLost) {
  World world({}, 2, "drop=400000");
  world[1].discards = true;
  const std::string payload = pattern(5000);
  for (std::uint64_t i = 0; i < 200; ++i) world[0].send(1, "12345678", payload, i);
  EXPECT_TRUE(world.simulation.run());
  EXPECT_EQ(world[1].arrivals.size() + world[0].failures.size(), 200u);
  EXPECT_EQ(world[0].sends.size(), 200u);
}

TEST(Faults, ACrashedNodeIsUnreachableAndItsMessagesBreakOff) {
  World world({}, 3, "crash=1:30us");
  const std::string large = pattern(100000);
  world[1].send(2, "12345678", large);  // breaks off
  world.simulation.engine().at(40 * kMicrosecond, {},
                               [&] { world[0].send(1, "12345678", "", 4); });  // too late
  bool ran_after = false;
  world.simulation.fibers().start(world.simulation.host(1), "doomed", [&] {
    world.simulation.host(1).compute(kMillisecond);
    ran_after = true;
  });
  EXPECT_TRUE(world.simulation.run());
  EXPECT_FALSE(ran_after);
  EXPECT_EQ(world.count(FaultProbe::kCrashed), 1u);
  ASSERT_EQ(world[2].landings.size(), 1u);
  EXPECT_FALSE(world[2].landings[0].ok);
  ASSERT_EQ(world[0].failures.size(), 1u);
  EXPECT_EQ(world[1].arrivals.size(), 0u);
}

TEST(Faults, ACutCableStopsBothDirectionsAndNoOtherWay) {
  World line({.topology = "torus", .tries = 2}, 5, "cut=1-2:1ns");  // a ring of five
  line.simulation.engine().at(kMicrosecond, {}, [&] {
    line[1].send(2, "12345678", "", 1);
    line[2].send(1, "12345678", "", 2);
    line[0].send(4, "12345678", "", 3);
  });
  EXPECT_TRUE(line.simulation.run());
  EXPECT_EQ(line.count(FaultProbe::kLinkCut), 1u);
  EXPECT_EQ(line[1].failures.size(), 1u);
  EXPECT_EQ(line[2].failures.size(), 1u);
  EXPECT_EQ(line[4].arrivals.size(), 1u);
}

TEST(Faults, ASlowNodeTakesLongerAndAFrozenOneLetsItsWorkLie) {
  World world({}, 2, "slow=1:400 freeze=0:5us:90us");
  Time slow = 0, computed = 0, frozen = 0;
  world.simulation.fibers().start(world.simulation.host(1), "slow", [&] {
    world.simulation.host(1).charge(world.model.cost("interrupt"));
    slow = world.simulation.engine().now();
    world.simulation.host(1).compute(10 * kMicrosecond);
    computed = world.simulation.engine().now();
  });
  world.simulation.fibers().start(world.simulation.host(0), "frozen", [&] {
    world.simulation.host(0).compute(10 * kMicrosecond);
    frozen = world.simulation.engine().now();
  });
  EXPECT_TRUE(world.simulation.run());
  EXPECT_EQ(slow, 8 * kMicrosecond);
  EXPECT_EQ(computed, 48 * kMicrosecond);
  EXPECT_EQ(frozen, 100 * kMicrosecond);
  EXPECT_EQ(world.count(FaultProbe::kSlowed), 1u);
  EXPECT_EQ(world.count(FaultProbe::kFrozen), 1u);
}

TEST(Faults, InterfacesAreToldWhenToPretend) {
  World world({}, 2, "event-queue-full=500000 event-failure=100000 registration=250000");
  unsigned full = 0, failed = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    full += world.simulation.faults().event_queue_full(0);
    failed += world.simulation.faults().event_fails(0);
    refused += world.simulation.faults().registration_fails(1);
  }
  EXPECT_NEAR(full, 500, 80);
  EXPECT_NEAR(failed, 100, 60);
  EXPECT_NEAR(refused, 250, 80);
  EXPECT_EQ(world.count(FaultProbe::kEventQueueFull), full);
  EXPECT_EQ(world.count(FaultProbe::kEventFailed), failed);
  EXPECT_EQ(world.count(FaultProbe::kRegistrationFailed), refused);
}

TEST(Faults, TheirTextCanBeReadBack) {
  const char* words =
      "drop=1 corrupt=2 duplicate=3 delay=4 reorder=5 event-queue-full=6 event-failure=8 registration=7 "
      "delay-by=20us "
      "slow=3:400 "
      "freeze=5:10us:2ms crash=7:1ms cut=0-1:5us";
  const FaultPlan once = plan(words);
  EXPECT_EQ(plan(once.text().c_str()).text(), once.text());
  EXPECT_EQ(plan("").text(), "");
  FaultPlan other;
  std::string error;
  for (const char* wrong : {"drop", "drop=1000001", "drop=-1", "slow=3", "freeze=1:2us", "crash=1:5",
                            "cut=1:2us", "fire=3", "delay-by=5"}) {
    error.clear();
    EXPECT_FALSE(other.add(wrong, &error)) << wrong;
    EXPECT_NE(error.find(wrong[0] == 'f' && wrong[1] == 'i' ? "fire" : wrong), std::string::npos) << error;
  }
}

struct Broken {
  Broken(const TestModel& test, fabric::NodeId nodes, const char* faults)
      : model(make_model(test)), simulation(setup(model, nodes, faults)) {
    for (fabric::NodeId node = 0; node < nodes; ++node) stations.emplace_back(simulation, node);
  }
  static Setup setup(const NetworkModel& model, fabric::NodeId nodes, const char* faults) {
    Setup setup{.model = &model, .nodes = nodes, .dimensions = Topology::Dimensions{nodes, 1, 1}};
    setup.every_packet = true;
    std::string error;
    EXPECT_TRUE(setup.faults.add(faults, &error)) << error;
    return setup;
  }
  void expect_nothing_left() {
    EXPECT_EQ(simulation.network().switching().packets_under_way(), 0u);
    for (const Link& link : simulation.network().switching().links()) EXPECT_EQ(link.claims, 0u);
  }
  NetworkModel model;
  Simulation simulation;
  std::deque<Station> stations;
};

TEST(PacketFaults, WhatACutLinkSwallowsIsReportedAndLeavesNothingBehind) {
  // 0 - 1 - 2 - 3: the link from 1 to 2 is cut in the middle of a message from 0 to 3.
  Broken net({.topology = "mesh", .tries = 2, .buffer = 2}, 4, "cut=1-2:5us");
  const std::string payload = pattern(20000);
  net.stations[0].send(3, "12345678", payload, 7);
  EXPECT_TRUE(net.simulation.run());
  ASSERT_EQ(net.stations[0].failures.size(), 1u);
  EXPECT_EQ(net.stations[0].failures[0].cookie, 7u);
  EXPECT_EQ(net.stations[0].sends.size(), 1u);
  ASSERT_EQ(net.stations[3].landings.size(), 1u);
  EXPECT_FALSE(net.stations[3].landings[0].ok);
  net.expect_nothing_left();
  // What does not go there goes on.
  net.stations[3].send(2, "12345678", payload);
  EXPECT_TRUE(net.simulation.run());
  EXPECT_EQ(net.stations[2].landed_bytes.at(0), payload);
}

TEST(PacketFaults, ANodeThatCrashesTakesWhatWaitsForItsAnswer) {
  // 2 answers too late: it is gone by then. What 1 sends to 3 was held up behind it.
  Broken net({.topology = "mesh", .tries = 2, .buffer = 1, .room = 256}, 4, "crash=2:20us");
  net.stations[2].accepts_after = kMillisecond;
  const std::string payload = pattern(8000), small = pattern(1000);
  net.stations[0].send(2, "12345678", payload, 7);
  net.simulation.engine().at(10 * kMicrosecond, {}, [&] { net.stations[1].send(3, "12345678", small); });
  net.simulation.run();
  ASSERT_EQ(net.stations[3].landings.size(), 1u);
  EXPECT_EQ(net.stations[3].landed_bytes.at(0), small);
  EXPECT_GT(net.stations[3].landings[0].when, 20 * kMicrosecond);
  net.expect_nothing_left();
}

TEST(PacketFaults, ASenderThatCrashesLeavesNothingBehind) {
  Broken net({.topology = "mesh", .tries = 2, .buffer = 1}, 4, "crash=0:5us");
  const std::string payload = pattern(20000), small = pattern(1000);
  net.stations[0].send(3, "12345678", payload, 7);
  net.simulation.engine().at(6 * kMicrosecond, {}, [&] { net.stations[1].send(3, "12345678", small); });
  net.simulation.run();
  ASSERT_EQ(net.stations[3].arrivals.size(), 2u);
  ASSERT_EQ(net.stations[3].landings.size(), 2u);
  EXPECT_EQ(net.stations[3].landed_bytes.at(1), small);
  EXPECT_FALSE(net.stations[3].landings[1].ok) << "half a message";
  net.expect_nothing_left();
}

}  // namespace
}  // namespace aqueduct::sim
