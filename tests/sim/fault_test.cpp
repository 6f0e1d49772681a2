// What goes wrong: each fault is reached, below the ports nobody notices, and what cannot be delivered is
// said.
#include "sim/crc32.hpp"
#include "sim/fault_places.hpp"
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
  World(const TestModel& test, fabric::NodeId nodes, const char* faults, std::uint64_t seed = 1,
        bool every_packet = false)
      : model(make_model(test)),
        simulation({.model = &model,
                    .nodes = nodes,
                    .seed = seed,
                    .faults = plan(faults),
                    .every_packet = every_packet}) {
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

TEST(Faults, WhatIsDamagedIsSentAgainAsSoonAsItsTargetHasSaidSo) {
  World world({.topology = "mesh"}, 3, "corrupt=1000000");
  world[0].send(2, "12345678", "", 9);
  EXPECT_TRUE(world.simulation.run());
  // Eight tries of 208 ns over two hops, and each time two hops back.
  ASSERT_EQ(world[0].failures.size(), 1u);
  EXPECT_EQ(world[0].failures[0].when, 8 * ns(208 + 2 * 100 + 2 * 100));
  EXPECT_EQ(world[2].arrivals.size(), 0u);
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

// The only message that a port may have under way is given up when its header was there and its payload was
// lost; its target says only later that it did not want it. Then there is room for the next one.
TEST(Faults, AMessageThatIsDiscardedAfterItWasGivenUpIsForgotten) {
  std::string text = model_text({.tries = 2});
  const std::string gate = "[injection]\n";
  text.replace(text.find(gate), gate.size(),
               gate + "messages = { value = 1, unit = \"1\", given = \"test\" }\n");
  std::string error;
  const std::optional<NetworkModel> model = NetworkModel::parse(text, "test.toml", {}, &error);
  ASSERT_TRUE(model.has_value()) << error;
  Simulation simulation({.model = &*model, .nodes = 2, .faults = plan("cut=0-1:5us")});
  Station a(simulation, 0), b(simulation, 1);
  b.discards = true;
  b.accepts_after = kMillisecond;
  const std::string payload = pattern(20000);
  ASSERT_EQ(a.send(1, "12345678", payload, 1), fabric::Post::kDone);
  EXPECT_TRUE(simulation.run());
  ASSERT_EQ(b.arrivals.size(), 1u);
  ASSERT_EQ(a.failures.size(), 1u);
  EXPECT_LT(a.failures[0].when, b.arrivals[0].when + b.accepts_after);
  EXPECT_EQ(a.send(1, "12345678", "", 2), fabric::Post::kDone);
}

// Eight tries of 20 us, and one more timeout, after which nothing that was under way can have arrived.
TEST(Faults, OthersLearnOfACrashWhenAllTriesWouldHaveFailed) {
  World world({}, 3, "crash=1:30us");
  EXPECT_TRUE(world.simulation.run());
  for (const fabric::NodeId node : {0u, 2u}) {
    ASSERT_EQ(world[node].losses.size(), 1u);
    EXPECT_EQ(world[node].losses[0].cookie, 1u);
    EXPECT_EQ(world[node].losses[0].when, (30 + 9 * 20) * kMicrosecond);
  }
  EXPECT_EQ(world[1].losses.size(), 0u);
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

// 1 - 2 of a ring of five is cut when the message leaves. The first try is lost; a timeout after the failure
// routers know it, and the second try goes the other way round.
TEST(CutCables, AdaptiveRoutingTakesAnotherWayWithTheSecondTry) {
  for (const bool every_packet : {false, true}) {
    World ring({.topology = "torus", .buffer = 4, .routing = "adaptive"}, 5, "cut=1-2:1us", 1, every_packet);
    ring.simulation.engine().at(kMicrosecond, {}, [&] { ring[1].send(2, "12345678", "", 1); });
    EXPECT_TRUE(ring.simulation.run());
    ASSERT_EQ(ring[2].arrivals.size(), 1u);
    EXPECT_EQ(ring[2].arrivals[0].when, kMicrosecond + ns(208 + 20000 + 208 + 4 * 100));
    EXPECT_EQ(ring.count(FaultProbe::kLinkCut), 1u);
    EXPECT_EQ(ring.count(FaultProbe::kLostAtCut), 1u);
    EXPECT_EQ(ring.count(FaultProbe::kRetried), 1u);
    EXPECT_EQ(ring.count(FaultProbe::kDetour), 1u);
    EXPECT_EQ(ring.count(FaultProbe::kUndeliverable), 0u);
  }
}

// 0 reaches 4 of 3 x 3 over 1 or over 3, as each burst of 4 KiB draws it. What goes over 1 is lost, and the
// message is not there before a second try has brought all of it. With some seeds the header is lost as well.
TEST(CutCables, ABurstThatIsLostInTheMiddleIsMissed) {
  for (const unsigned run : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
    const bool every_packet = run % 2 == 0;
    const std::uint64_t seed = 1 + run / 2;
    World torus({.topology = "torus", .buffer = 16, .routing = "adaptive"}, 9, "cut=0-1:1ns", seed,
                every_packet);
    const std::string payload = pattern(40960);
    torus.simulation.engine().at(ns(2), {}, [&] { torus[0].send(4, "12345678", payload, 1); });
    EXPECT_TRUE(torus.simulation.run());
    EXPECT_GT(torus.count(FaultProbe::kLostAtCut), 0u);
    EXPECT_EQ(torus.count(FaultProbe::kRetried), 1u);
    ASSERT_EQ(torus[4].landings.size(), 1u);
    EXPECT_TRUE(torus[4].landings[0].ok);
    EXPECT_GT(torus[4].landings[0].when, ns(2 * 40960 + 20000));
  }
}

// With new tables 50 us after the failure the fourth try arrives; without, there is no other way.
TEST(CutCables, FixedAndHashedRoutingWaitForNewTables) {
  for (const char* routing : {"dimension-order", "hashed"}) {
    for (const unsigned reroute_us : {0u, 50u}) {
      World ring({.topology = "torus", .tries = 5, .routing = routing, .reroute_us = reroute_us}, 5,
                 "cut=1-2:1us");
      ring.simulation.engine().at(kMicrosecond, {}, [&] { ring[1].send(2, "12345678", "", 1); });
      EXPECT_TRUE(ring.simulation.run());
      EXPECT_EQ(ring[1].failures.size(), reroute_us == 0 ? 1u : 0u);
      EXPECT_EQ(ring.count(FaultProbe::kLostAtCut), reroute_us == 0 ? 5u : 3u);
      if (reroute_us == 0) continue;
      ASSERT_EQ(ring[2].arrivals.size(), 1u);
      EXPECT_EQ(ring[2].arrivals[0].when, kMicrosecond + ns(3 * (208 + 20000) + 208 + 4 * 100));
    }
  }
}

// A stream of messages over every pair of routers, while the cable between two of them is cut.
TEST(CutCables, EveryTopologyGoesOnInOrderWhereAWayIsLeft) {
  struct Case {
    const char *topology, *routing, *cut;
    fabric::NodeId nodes;
  };
  const Case cases[] = {
      {"torus", "adaptive", "cut=0-1:30us", 12},       {"torus", "dimension-order", "cut=0-1:30us", 12},
      {"mesh", "adaptive", "cut=0-1:30us", 12},        {"mesh", "hashed", "cut=4-5:30us", 12},
      {"dragonfly", "adaptive", "cut=0-2:30us", 24},   {"dragonfly", "minimal", "cut=0-2:30us", 24},
      {"dragonfly", "adaptive", "cut=r0-r6:30us", 24}, {"dragonfly", "hashed", "cut=r0-r6:30us", 24},
      {"tree", "adaptive", "cut=r0-r4:30us", 8},       {"tree", "minimal", "cut=r0-r4:30us", 8},
      {"dragonfly", "adaptive", "router=7:30us", 24},  {"torus", "adaptive", "router=5:30us", 12},
  };
  for (const Case& it : cases) {
    World world({.topology = it.topology, .buffer = 2, .routing = it.routing, .reroute_us = 45}, it.nodes,
                it.cut, 3);
    const bool is_router = it.cut[0] == 'r';
    const auto is_gone = [&](fabric::NodeId node) {
      return is_router && world.simulation.topology().router_of(node) == (it.nodes == 24 ? 7u : 5u);
    };
    const std::string payload = pattern(700);
    for (unsigned round = 0; round < 6; ++round) {
      world.simulation.engine().at(round * 12 * kMicrosecond, {},
                                   [&world, &payload, round, nodes = it.nodes] {
                                     for (fabric::NodeId from = 0; from < nodes; ++from)
                                       for (fabric::NodeId to = 0; to < nodes; ++to)
                                         world[from].send(to, std::to_string(round), payload);
                                   });
    }
    EXPECT_TRUE(world.simulation.run());
    EXPECT_GT(world.count(FaultProbe::kLostAtCut), 0u) << it.topology << " " << it.routing;
    for (fabric::NodeId node = 0; node < it.nodes; ++node) {
      if (is_gone(node)) continue;
      std::vector<unsigned> came(it.nodes);
      for (const Station::Arrived& arrived : world[node].arrivals) {
        if (is_gone(arrived.source)) continue;
        EXPECT_EQ(arrived.header, std::to_string(came[arrived.source]++));
      }
      for (fabric::NodeId from = 0; from < it.nodes; ++from)
        if (!is_gone(from)) {
          ASSERT_EQ(came[from], 6u) << it.topology << " " << it.routing << " " << from << " to " << node;
        }
      for (const Station::Done& failure : world[node].failures)
        EXPECT_TRUE(is_router) << failure.when << ": a way was left";
    }
  }
}

// 4 is the middle of a mesh of 3 x 3. It dies; 3 still reaches 5, and nobody 4.
TEST(Faults, ARouterThatDiesTakesItsNodesAndNothingElse) {
  World mesh({.topology = "mesh", .routing = "adaptive"}, 9, "router=4:1us");
  bool ran_after = false;
  mesh.simulation.fibers().start(mesh.simulation.host(4), "doomed", [&] {
    mesh.simulation.host(4).compute(kMillisecond);
    ran_after = true;
  });
  mesh.simulation.engine().at(2 * kMicrosecond, {}, [&] {
    mesh[3].send(5, "12345678", "", 1);
    mesh[1].send(4, "12345678", "", 2);
  });
  EXPECT_TRUE(mesh.simulation.run());
  EXPECT_FALSE(ran_after);
  EXPECT_EQ(mesh.count(FaultProbe::kRouterDied), 1u);
  EXPECT_EQ(mesh.count(FaultProbe::kCrashed), 1u);
  EXPECT_EQ(mesh[5].arrivals.size(), 1u);
  EXPECT_EQ(mesh[3].failures.size(), 0u);
  ASSERT_EQ(mesh[1].failures.size(), 1u);
  EXPECT_EQ(mesh[1].failures[0].cookie, 2u);
}

TEST(Faults, ARouterOfADragonflyHasSeveralNodes) {
  World groups({.topology = "dragonfly", .routing = "adaptive"}, 24, "router=2:1us");
  EXPECT_TRUE(groups.simulation.run());
  EXPECT_EQ(groups.count(FaultProbe::kCrashed), 2u);
  for (fabric::NodeId node = 0; node < 24; ++node)
    EXPECT_EQ(groups.simulation.host(node).crashed(), node == 4 || node == 5);
}

// A quarter of the bandwidth: 8 bytes of header take the link for 32 ns, and then 1000 bytes for 4000.
TEST(Faults, ASlowLinkTakesLongerInBothDirections) {
  for (const bool every_packet : {false, true}) {
    World line({.topology = "mesh", .inline_bytes = 0, .buffer = 8}, 3, "slow-link=0-1:25", 1, every_packet);
    const std::string payload = pattern(1000);
    line[0].send(1, "12345678", payload);
    EXPECT_TRUE(line.simulation.run());
    EXPECT_EQ(line[1].landings.at(0).when, ns(200 + 32 + 4000 + 100));
    // The last of four packets has left when it has got the link, which the others took for 1024 ns each.
    EXPECT_EQ(line[0].sends.at(0).when, ns(200 + 32 + 3 * 1024));
    EXPECT_EQ(line.count(FaultProbe::kLinkSlowed), 1u + 4u);
    const Time start = line.simulation.engine().now();
    line[1].send(0, "12345678", payload);
    line[2].send(1, "12345678", payload);  // over another cable
    EXPECT_TRUE(line.simulation.run());
    EXPECT_EQ(line[0].landings.at(0).when - start, ns(200 + 32 + 4000 + 100));
    EXPECT_EQ(line[1].landings.at(1).when - start, ns(200 + 8 + 1000 + 100));
    EXPECT_EQ(line.count(FaultProbe::kLinkSlowed), 2 * (1u + 4u));
  }
}

TEST(Faults, BehindASlowLinkAFastOneWaitsForTheBytes) {
  for (const bool every_packet : {false, true}) {
    World line({.topology = "mesh", .inline_bytes = 0, .buffer = 8}, 3, "slow-link=0-1:25", 1, every_packet);
    const std::string payload = pattern(1000);
    line[0].send(2, "12345678", payload);
    EXPECT_TRUE(line.simulation.run());
    EXPECT_EQ(line[2].arrivals.at(0).when, ns(200 + 32 + 200));
    EXPECT_EQ(line[2].landings.at(0).when, ns(200 + 32 + 4000 + 200));
  }
}

// The gate takes a packet of 256 bytes in 256 ns: at 50 percent one comes every 512 ns, 20 of them in 10 us.
TEST(Faults, AHotSpotGetsAsManyPacketsAsItsWordsSay) {
  World world({.topology = "torus", .buffer = 4}, 8, "hot-spot=3:5us:10us:50");
  EXPECT_TRUE(world.simulation.run());
  EXPECT_EQ(world.count(FaultProbe::kHotSpot), 20u);
  EXPECT_EQ(world.simulation.traffic().messages, 0u) << "they are nobody's messages";
  EXPECT_EQ(world.simulation.traffic().tries, 0u);
  for (fabric::NodeId node = 0; node < 8; ++node) {
    EXPECT_EQ(world[node].arrivals.size(), 0u);
    EXPECT_EQ(world[node].sends.size(), 0u);
  }
}

// 0 - 1 - 2 - 3 - 4 - 5: what goes to node 4 at twice its rate fills the buffers that a message to 5 needs.
TEST(Faults, AHotSpotHoldsUpWhatPassesItAndThenItIsOver) {
  const auto arrival = [](const char* faults, Time when) {
    World line({.topology = "mesh", .buffer = 1}, 6, faults);
    const std::string payload = pattern(1000);
    line.simulation.engine().at(when, {}, [&] { line[2].send(5, "12345678", payload); });
    EXPECT_TRUE(line.simulation.run());
    for (const Link& link : line.simulation.network().switching().links()) EXPECT_EQ(link.claims, 0u);
    return line[5].landings.at(0).when - when;
  };
  const char* hot = "hot-spot=4:0us:100us:200";
  const Time quiet = arrival("", 50 * kMicrosecond);
  EXPECT_GT(arrival(hot, 50 * kMicrosecond), 2 * quiet);
  EXPECT_EQ(arrival(hot, 200 * kMicrosecond), quiet);
}

// The gate of a node that has crashed stops; a packet of the background has nobody to tell.
TEST(Faults, AHotSpotMeetsEverythingElseThatGoesWrong) {
  for (const bool every_packet : {false, true}) {
    World world({.topology = "torus", .tries = 4, .buffer = 2, .routing = "adaptive"}, 27,
                "hot-spot=3:0us:200us:400 hot-spot=7:20us:50us:100 cut=3-4:20us router=12:40us crash=3:90us "
                "slow-link=6-7:10 drop=50000 corrupt=50000 duplicate=50000 delay=50000",
                5, every_packet);
    const std::string payload = pattern(3000);
    for (unsigned round = 0; round < 30; ++round) {
      world.simulation.engine().at(round * 6 * kMicrosecond, {}, [&world, &payload, round] {
        for (fabric::NodeId from = 0; from < 27; ++from)
          world[from].send((from * 5 + round) % 27, "12345678", payload);
      });
    }
    EXPECT_TRUE(world.simulation.run());
    EXPECT_GT(world.count(FaultProbe::kHotSpot), 300u);
    EXPECT_EQ(world.simulation.network().switching().packets_under_way(), 0u);
    for (const Link& link : world.simulation.network().switching().links()) EXPECT_EQ(link.claims, 0u);
  }
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
      "freeze=5:10us:2ms crash=7:1ms cut=0-1:5us cut=r3-r14:6us router=9:2us slow-link=0-1:25 "
      "slow-link=r0-r1:100 hot-spot=2:0us:1ms:300";
  const FaultPlan once = plan(words);
  EXPECT_EQ(plan(once.text().c_str()).text(), once.text());
  EXPECT_EQ(plan("").text(), "");
  FaultPlan other;
  std::string error;
  for (const char* wrong : {"drop",
                            "drop=1000001",
                            "drop=-1",
                            "slow=3",
                            "freeze=1:2us",
                            "crash=1:5",
                            "cut=1:2us",
                            "fire=3",
                            "delay-by=5",
                            "cut=r1-2:5us",
                            "cut=1-2:5us:1",
                            "cut=-1-2:5us",
                            "router=r1:5us",
                            "router=-1:5us",
                            "slow-link=0-1:0",
                            "slow-link=0-1:101",
                            "slow-link=0-1:-5",
                            "slow-link=0:5",
                            "hot-spot=1:5us:5us",
                            "hot-spot=1:5us:5us:0",
                            "hot-spot=1:5us:5us:10001",
                            "hot-spot=-1:5us:5us:5",
                            "hot-spot=1:5:5us:5"}) {
    error.clear();
    EXPECT_FALSE(other.add(wrong, &error)) << wrong;
    EXPECT_NE(error.find(wrong[0] == 'f' && wrong[1] == 'i' ? "fire" : wrong), std::string::npos) << error;
  }
}

TEST(Faults, OfWhatIsNotThereAreRefusedInALine) {
  struct Case {
    const char *topology, *faults, *line;
  };
  for (const Case& it : {
           Case{"torus", "cut=0-1:5us slow=8:200", "a fault names node 8; there are 8"},
           Case{"torus", "cut=0-9:5us", "a fault names node 9; there are 8"},
           Case{"torus", "cut=0-3:5us", "there is no cable between nodes 0 and 3"},
           Case{"torus", "cut=1-1:5us", "there is no cable between nodes 1 and 1"},
           Case{"torus", "router=8:5us", "a fault names router 8; there are 8"},
           Case{"torus", "reorder=5", "test keeps messages in order, so nothing can be reordered there"},
           Case{"mesh", "slow-link=r0-r3:50", "there is no cable between routers 0 and 3"},
           Case{"mesh", "slow-link=r0-r8:50", "a fault names router 8; there are 8"},
           Case{"mesh", "hot-spot=8:5us:1us:50", "a fault names node 8; there are 8"},
           Case{"crossbar", "router=1:5us", "the only one of a crossbar has the number 8"},
           Case{"crossbar", "cut=r0-r1:5us", "there is no cable between routers 0 and 1"},
           Case{"dragonfly", "cut=0-1:5us", "there is no cable between nodes 0 and 1"},
           Case{"tree", "cut=0-3:5us",
                "there is no cable between nodes 0 and 3; those of a tree join switches: name them r0-r4"},
       }) {
    const NetworkModel model = make_model({.topology = it.topology});
    const Topology topology(model.shape, 8);
    EXPECT_NE(misfit(plan(it.faults), topology, model).find(it.line), std::string::npos)
        << it.faults << ": " << misfit(plan(it.faults), topology, model);
  }
  const NetworkModel model = make_model({.topology = "crossbar"});
  for (const char* fits : {"cut=0-1:5us", "cut=r8-r1:5us", "router=8:1us", "hot-spot=7:5us:1us:50"})
    EXPECT_EQ(misfit(plan(fits), Topology(model.shape, 8), model), "") << fits;
  EXPECT_EQ(misfit(plan("hot-spot=0:5us:1us:50"), Topology(model.shape, 1), model),
            "a hot spot needs another node that sends to it");
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
