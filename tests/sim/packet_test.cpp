// Bursts in closed form and packets one by one: the same times where nothing holds them up; and what buffers,
// credits and room do where something does, by arithmetic.
#include "sim/network.hpp"
#include "sim/sim_port.hpp"
#include "station.hpp"

namespace aqueduct::sim {
namespace {

struct Machine {
  explicit Machine(const TestModel& test, fabric::NodeId nodes, bool every_packet = false,
                   const std::vector<std::string>& settings = {})
      : model(make_model(test, settings)),
        simulation({.model = &model, .nodes = nodes, .every_packet = every_packet}) {
    for (fabric::NodeId node = 0; node < nodes; ++node)
      stations.push_back(std::make_unique<Station>(simulation, node));
  }
  Station& operator[](fabric::NodeId node) { return *stations[node]; }
  SimPort& port(fabric::NodeId node) { return simulation.network().port(node); }
  NetworkModel model;
  Simulation simulation;
  std::vector<std::unique_ptr<Station>> stations;
};

struct Times {
  Time arrived, landed, sent;
  bool operator==(const Times&) const = default;
};

Times times_of(const TestModel& test, bool every_packet, fabric::NodeId to, std::size_t bytes) {
  Machine machine(test, 24, every_packet);
  const std::string payload = pattern(bytes);
  machine[0].send(to, "12345678", payload);
  EXPECT_TRUE(machine.simulation.run());
  EXPECT_EQ(machine[to].landed_bytes.at(0), payload);
  return {machine[to].arrivals.at(0).when, machine[to].landings.at(0).when, machine[0].sends.at(0).when};
}

constexpr const char* kTopologies[] = {"crossbar", "torus", "mesh", "dragonfly", "tree"};

TEST(Packets, OneByOneTakeAsLongAsInClosedFormWhereNothingHoldsThemUp) {
  for (const char* topology : kTopologies) {
    for (const std::size_t bytes : {0u, 1u, 64u, 65u, 256u, 257u, 1000u, 4096u, 4097u, 20000u}) {
      for (const fabric::NodeId to : {0u, 1u, 2u, 5u, 13u, 23u}) {
        const TestModel test{.topology = topology, .buffer = 4};
        const Times whole = times_of(test, false, to, bytes), packets = times_of(test, true, to, bytes);
        EXPECT_EQ(whole.arrived, packets.arrived) << topology << " " << bytes << " bytes to " << to;
        EXPECT_EQ(whole.landed, packets.landed) << topology << " " << bytes << " bytes to " << to;
        EXPECT_EQ(whole.sent, packets.sent) << topology << " " << bytes << " bytes to " << to;
        EXPECT_EQ(whole, times_of({.topology = topology}, false, to, bytes)) << "without limits";
      }
    }
  }
}

TEST(Packets, PayForTheGateOfTheirNodeOnceForEachMessageAndOnceForEachPacket) {
  for (const bool every_packet : {false, true}) {
    Machine machine({.topology = "mesh", .buffer = 8}, 3, every_packet,
                    {"ejection.per_message=300ns", "ejection.per_packet=50ns"});
    machine[0].send(2, "12345678", "");
    EXPECT_TRUE(machine.simulation.run());
    EXPECT_EQ(machine[2].arrivals.at(0).when, ns(200 + 2 * 100 + 300 + 50 + 8)) << every_packet;
    // The gate takes the header for 358 ns; four packets of 1000 bytes, which come meanwhile, wait for that.
    const Time start = machine.simulation.engine().now();
    const std::string payload = pattern(1000);
    machine[0].send(2, "12345678", payload);
    EXPECT_TRUE(machine.simulation.run());
    EXPECT_EQ(machine[2].landings.at(1).when - start, ns(200 + 2 * 100 + 358 + 4 * 50 + 1000))
        << every_packet;
  }
}

TEST(Packets, InClosedFormCostNoEventForEachOfThem) {
  const auto events = [](bool every_packet) {
    Machine machine({.topology = "mesh", .buffer = 4}, 3, every_packet);
    const std::string payload = pattern(std::size_t{1} << 20);
    machine[0].send(2, "12345678", payload);
    EXPECT_TRUE(machine.simulation.run());
    return machine.simulation.engine().events();
  };
  EXPECT_LT(events(false), 300u);      // 256 bursts
  EXPECT_GT(events(true), 3 * 4096u);  // 4096 packets, over two links and through two gates
}

// A burst in closed form is not interrupted, so under load the two may differ, but not by much.
TEST(Packets, InClosedFormStayNearTheTruthUnderLoad) {
  const auto mean_latency = [](bool every_packet) {
    Machine machine({.topology = "torus", .buffer = 4}, 64, every_packet);
    Random random(7);
    const std::string payload = pattern(2000);
    std::vector<Time> starts;
    for (unsigned i = 0; i < 2000; ++i) {
      // A fifth of what 64 gates can do.
      const auto when = random.below(ns(2000 * 1200 / 64 * 5));
      const auto from = static_cast<fabric::NodeId>(random.below(64)),
                 to = static_cast<fabric::NodeId>(random.below(64));
      starts.push_back(when);
      Station* const station = &machine[from];
      const std::string* const bytes = &payload;
      machine.simulation.engine().at(when, {},
                                     [station, to, bytes] { station->send(to, "12345678", *bytes); });
    }
    EXPECT_TRUE(machine.simulation.run());
    double sum = 0;
    for (const auto& station : machine.stations)
      for (const Station::Done& landing : station->landings) sum += static_cast<double>(landing.when);
    for (const Time start : starts) sum -= static_cast<double>(start);
    return sum / 2000 / kNanosecond;
  };
  const double whole = mean_latency(false), packets = mean_latency(true);
  EXPECT_GT(packets, 200 + 8 + 2000 + 3 * 100) << "there is no load";
  EXPECT_NEAR(whole / packets, 1, 0.05) << whole << " and " << packets << " ns";
}

TEST(Packets, ABufferOfOneCostsTheCreditsRoundTripForEachPacket) {
  // 0 - 1: a packet of 256 bytes takes the link for 256 ns; its first byte reaches the buffer after 100 ns
  // and goes on; the last one leaves the buffer 256 ns later, and the credit is back after another 100.
  const std::string payload = pattern(4 * 256);
  for (const unsigned buffer : {1u, 2u, 4u}) {
    Machine machine({.topology = "mesh", .buffer = buffer}, 2);
    machine[0].send(1, "12345678", payload);
    EXPECT_TRUE(machine.simulation.run());
    // The header takes the place of the buffer first, 8 ns long, and gives it back 8 + 2 * 100 ns later.
    const Time first = buffer == 1 ? 200 + 8 + 200 : 200 + 8;
    const Time apart = buffer == 1 ? 256 + 200 : 256;
    EXPECT_EQ(machine[1].landings.at(0).when, ns(first + 3 * apart + 256 + 100)) << buffer;
  }
}

TEST(Packets, FlitsAndOverheadTakeTheirTimeOnLinksAlone) {
  // 300 bytes are packets of 256 and 44: with 8 more bytes each, in flits of 16, 272 and 64 bytes on a link.
  const TestModel test{.topology = "mesh",
                       .inline_bytes = 0,
                       .buffer = 8,
                       .more =
                           "flit_bytes = { value = 16, unit = \"B\", given = \"test\" }\n"
                           "packet_overhead = { value = 8, unit = \"B\", given = \"test\" }\n"};
  for (const bool every_packet : {false, true}) {
    Machine machine(test, 2, every_packet);
    const std::string payload = pattern(300);
    machine[0].send(1, "12345678", payload);
    EXPECT_TRUE(machine.simulation.run());
    // The header takes 16 ns; the payload follows at once and is held up by the link, not by the gate.
    EXPECT_EQ(machine[1].arrivals.at(0).when, ns(200 + 16 + 100));
    EXPECT_EQ(machine[1].landings.at(0).when, ns(200 + 16 + 272 + 64 + 100));
  }
}

TEST(Packets, TwoStreamsShareALinkPacketByPacket) {
  // 0 and 1 send to 2 over the link 1 - 2 of a mesh; neither waits for the other's whole message.
  Machine machine({.topology = "mesh", .buffer = 4}, 3, true);
  const std::string payload = pattern(std::size_t{64} << 10);
  machine[0].send(2, "12345678", payload);
  machine[1].send(2, "12345678", payload);
  EXPECT_TRUE(machine.simulation.run());
  const Time first = machine[2].landings.at(0).when, second = machine[2].landings.at(1).when;
  EXPECT_NEAR(static_cast<double>(second), static_cast<double>(ns(2 * 65536)), 0.01 * 131072000);
  EXPECT_LT(second - first, ns(1000));
}

TEST(Packets, OfTwoLinksShareTheGateOfTheNodeWhereTheyEnd) {
  // 0 and 2 send to 1, which lies between them: each has a link to itself, and the gate takes one at a time.
  Machine machine({.topology = "mesh", .buffer = 4}, 3, true);
  const std::string payload = pattern(std::size_t{64} << 10);
  machine[0].send(1, "12345678", payload);
  machine[2].send(1, "12345678", payload);
  EXPECT_TRUE(machine.simulation.run());
  // The two headers come at once, then 256 packets of each in turn.
  EXPECT_EQ(machine[1].landings.at(1).when, ns(200 + 100 + 2 * 8 + 2 * 65536));
  EXPECT_LE(machine[1].landings.at(1).when - machine[1].landings.at(0).when, ns(256));
}

TEST(Packets, InClosedFormLeaveThoseThatWaitAtTheGateTheirTurn) {
  // The same: whichever comes second goes packet by packet and waits at the gate, and the other one may not
  // take it again and again meanwhile.
  Machine machine({.topology = "mesh", .buffer = 4}, 3);
  const std::string payload = pattern(std::size_t{64} << 10);
  machine[0].send(1, "12345678", payload);
  machine[2].send(1, "12345678", payload);
  EXPECT_TRUE(machine.simulation.run());
  const Time first = machine[1].landings.at(0).when, second = machine[1].landings.at(1).when;
  EXPECT_LE(second - first, ns(Network::kBurstBytes + 1024)) << "one was held up by all of the other";
  EXPECT_EQ(second, ns(200 + 100 + 2 * 8 + 2 * 65536));
}

TEST(Calendar, GivesTheFirstGapThatIsLongEnough) {
  Calendar calendar;
  calendar.take(0, 100, 200);
  calendar.take(0, 250, 300);
  EXPECT_EQ(calendar.earliest(0, 100), 0u);
  EXPECT_EQ(calendar.earliest(0, 101), 300u);
  EXPECT_EQ(calendar.earliest(150, 50), 200u);
  EXPECT_EQ(calendar.earliest(150, 51), 300u);
  calendar.take(0, 200, 250);
  EXPECT_EQ(calendar.earliest(100, 1), 300u);
  calendar.take(300, 400, 500);  // by now the first ones are over
  EXPECT_EQ(calendar.earliest(300, 100), 300u);
  EXPECT_EQ(calendar.until(), 500u);
}

TEST(Packets, PayloadThatNobodyAcceptsBlocksItsWayAndGoesOnWhenItIs) {
  // 0 - 1 - 2 - 3: node 0 sends to 2, which accepts late; 1 sends to 3 over the same link.
  for (const bool every_packet : {false, true}) {
    Machine machine({.topology = "mesh", .buffer = 2, .room = 1024}, 5, every_packet);
    machine[2].accepts_after = 50 * kMicrosecond;
    const std::string large = pattern(8192), small = pattern(1024);
    machine[0].send(2, "12345678", large);
    machine.simulation.engine().at(ns(8000), {}, [&] { machine[1].send(3, "12345678", small); });
    EXPECT_TRUE(machine.simulation.run());
    EXPECT_EQ(machine[2].landed_bytes.at(0), large);
    const Time accepted = machine[2].arrivals.at(0).when + ns(50000);
    // 1 KiB in the interface, two packets in each of two buffers, and one at the gate: the rest has not left.
    EXPECT_GT(machine[0].sends.at(0).when, accepted);
    EXPECT_GE(machine[2].landings.at(0).when, accepted + ns(8192));
    EXPECT_GT(machine[3].landings.at(0).when, accepted) << "a bystander got through a buffer that is full";
    EXPECT_LT(machine[3].landings.at(0).when, accepted + ns(8192 + 2000));
  }
}

TEST(Packets, PayloadThatFitsIntoTheRoomBlocksNobody) {
  Machine machine({.topology = "mesh", .buffer = 2, .room = 8192}, 5);
  machine[2].accepts_after = 50 * kMicrosecond;
  const std::string large = pattern(8192), small = pattern(1024);
  machine[0].send(2, "12345678", large);
  machine.simulation.engine().at(ns(20000), {}, [&] { machine[1].send(3, "12345678", small); });
  EXPECT_TRUE(machine.simulation.run());
  EXPECT_EQ(machine[0].sends.at(0).when, ns(200 + 8 + 8192));
  EXPECT_EQ(machine[3].landings.at(0).when, ns(20000 + 200 + 8 + 1024 + 200));
}

TEST(Packets, AMessageThatAsksForOrderKeepsItUnderAdaptiveRouting) {
  for (const bool in_order : {true, false}) {
    Machine machine({.topology = "torus", .ordered = false, .buffer = 4, .routing = "adaptive"}, 64, true);
    const std::string load = pattern(3000);
    for (fabric::NodeId node = 1; node < 64; ++node) machine[node].send(21, "xxxxxxxx", load);
    for (unsigned i = 0; i < 200; ++i) {
      const std::string number = std::to_string(1000 + i);
      const auto header = std::as_bytes(std::span(number));
      in_order ? machine.port(0).send_in_order(21, header, {}, 0) : machine.port(0).send(21, header, {}, 0);
    }
    EXPECT_TRUE(machine.simulation.run());
    std::vector<std::string> numbers;
    for (const Station::Arrived& arrived : machine[21].arrivals)
      if (arrived.source == 0) numbers.push_back(arrived.header);
    EXPECT_EQ(numbers.size(), 200u);
    EXPECT_EQ(std::ranges::is_sorted(numbers), in_order);
    EXPECT_EQ(machine.simulation.faults().count(FaultProbe::kHeldForOrder), 0u);
  }
}

TEST(Packets, APortHasAsManyMessagesUnderWayAsTheFileSays) {
  std::string text = model_text({});
  const std::string gate = "[injection]\n";
  text.replace(text.find(gate), gate.size(),
               gate + "messages = { value = 3, unit = \"1\", given = \"test\" }\n");
  std::string error;
  const std::optional<NetworkModel> model = NetworkModel::parse(text, "test.toml", {}, &error);
  ASSERT_TRUE(model.has_value()) << error;
  Simulation simulation({.model = &*model, .nodes = 2});
  Station a(simulation, 0), b(simulation, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(a.send(1, "12345678", ""), fabric::Post::kDone);
  EXPECT_EQ(a.send(1, "12345678", ""), fabric::Post::kRetry);
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(a.send(1, "12345678", ""), fabric::Post::kDone);
}

}  // namespace
}  // namespace aqueduct::sim
