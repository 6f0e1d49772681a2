// What ranks pay that use their ports themselves, and how those wait that share a core.
#include "sim/network.hpp"
#include "sim/sim_port.hpp"
#include "station.hpp"

namespace aqueduct::sim {
namespace {

NetworkModel model_with(const std::string& more) {
  std::string error;
  std::optional<NetworkModel> model = NetworkModel::parse(model_text({}) + more, "test.toml", {}, &error);
  EXPECT_TRUE(model.has_value()) << error;
  return *model;
}

std::string cost(const char* name, unsigned value) {
  return std::string(name) + " = { value = " + std::to_string(value) +
         ", unit = \"ns\", given = \"test\" }\n";
}

/// What a rank pays for a look at three messages that lie there.
Time of_three_together(const std::string& costs) {
  const NetworkModel model = model_with(costs);
  Simulation simulation({.model = &model, .nodes = 2, .reports_wait = true});
  Station sender(simulation, 0), receiver(simulation, 1);
  for (unsigned i = 0; i < 3; ++i) sender.send(1, "12345678", "");
  Time took = 0;
  simulation.fibers().start(simulation.host(1), "receiver", [&] {
    Fiber::current()->sleep_until(10 * kMicrosecond);
    EXPECT_GE(simulation.port(1).progress(), 3u);
    took = simulation.engine().now() - 10 * kMicrosecond;
  });
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(receiver.arrivals.size(), 3u);
  return took;
}

TEST(PortCosts, MessagesThatLieThereTogetherCostLessAfterTheFirst) {
  EXPECT_EQ(of_three_together(cost("port_receive", 800)), ns(3 * 800));
  EXPECT_EQ(of_three_together(cost("port_receive", 800) + cost("port_receive_more", 150)), ns(800 + 2 * 150));
}

/// What each of a rank's messages costs it, where port_other_peer is 100 ns. It looks before a 0.
std::vector<Time> of_messages_to(const std::vector<fabric::NodeId>& targets) {
  const NetworkModel model = model_with(cost("port_other_peer", 100));
  Simulation simulation({.model = &model, .nodes = 4, .reports_wait = true});
  Station sender(simulation, 0);
  std::vector<Time> took;
  simulation.fibers().start(simulation.host(0), "sender", [&] {
    for (const fabric::NodeId to : targets) {
      const Time start = simulation.engine().now();
      if (to == 0) {
        simulation.port(0).progress();
        continue;
      }
      sender.send(to, "12345678", "");
      took.push_back(simulation.engine().now() - start);
    }
  });
  EXPECT_TRUE(simulation.run());
  return took;
}

TEST(PortCosts, AMessageToAnotherPeerThanTheLastCostsMoreTheMorePeersThereAre) {
  EXPECT_EQ(of_messages_to({1, 0, 1, 0, 2, 0, 2, 0, 1, 0, 3, 0, 3, 0, 1}),
            (std::vector<Time>{0, 0, 0, 0, ns(100), ns(100), 0, ns(200)}));
}

TEST(PortCosts, MessagesToOtherPeersBetweenTwoLooksCostThatOnce) {
  EXPECT_EQ(of_messages_to({1, 2, 1, 3, 2, 0, 1, 2, 3}),
            (std::vector<Time>{0, 0, ns(100), 0, 0, ns(200), 0, 0}));
}

TEST(PortCosts, MessagesOfOtherPeersThatOneLookTakesCostThatOnce) {
  const NetworkModel model = model_with(cost("port_other_peer", 100));
  Simulation simulation({.model = &model, .nodes = 4, .reports_wait = true});
  Station receiver(simulation, 0), one(simulation, 1), two(simulation, 2), three(simulation, 3);
  for (const fabric::NodeId to : {1u, 2u, 3u}) receiver.send(to, "12345678", "");
  for (Station* const sender : {&one, &two, &three, &one}) sender->send(0, "12345678", "");
  Time took = 0;
  simulation.fibers().start(simulation.host(0), "receiver", [&] {
    Fiber::current()->sleep_until(10 * kMicrosecond);
    simulation.port(0).progress();
    took = simulation.engine().now() - 10 * kMicrosecond;
  });
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(receiver.arrivals.size(), 4u);
  EXPECT_EQ(took, ns(2 * 100));  // three peers
}

TEST(PortCosts, ASentMessageWakesOnlyThoseWhoWaitForThat) {
  for (const bool awaits : {true, false}) {
    const NetworkModel model = model_with("");
    Simulation simulation({.model = &model, .nodes = 2, .reports_wait = true});
    Station sender(simulation, 0), receiver(simulation, 1);
    sender.awaits = awaits;
    sender.send(1, "12345678", "", 7);
    simulation.run();
    EXPECT_EQ(simulation.host(0).activity(), awaits ? 1u : 0u);
    EXPECT_TRUE(sender.sends.empty());
    EXPECT_GE(simulation.port(0).progress(), 1u);
    ASSERT_EQ(sender.sends.size(), 1u);
    EXPECT_EQ(sender.sends[0].cookie, 7u);
  }
}

/// When the first of `ranks` on one core goes on that was told something at once.
Time next_turn(unsigned ranks) {
  const NetworkModel model =
      model_with("[host]\ncores = { value = 1, unit = \"1\", given = \"test\" }\n" +
                 std::string("nodes = { value = 64, unit = \"1\", given = \"test\" }\n") +
                 cost("turn", 2000) + cost("turn_more", 500) + cost("patience", 1'000'000));
  Simulation simulation({.model = &model, .nodes = ranks});
  Time went_on = 0;
  for (fabric::NodeId node = 0; node < ranks; ++node) {
    Host& host = simulation.host(node);
    simulation.fibers().start(host, "rank", [&simulation, &host, &went_on, node] {
      host.rest(host.activity(), "news");
      if (node == 0) went_on = simulation.engine().now();
      host.leave_core();
    });
  }
  // After the first look of the first one, and before that of the others is over.
  simulation.engine().at(ns(3500), {}, [&] { simulation.host(0).notify(); });
  simulation.engine().at(200 * kMicrosecond, {}, [&] {
    for (fabric::NodeId node = 1; node < ranks; ++node) simulation.host(node).notify();
  });
  EXPECT_TRUE(simulation.run());
  return went_on;
}

TEST(SharedCore, ATurnTakesLongerTheMoreRanksShareTheCore) {
  EXPECT_EQ(next_turn(2), 2 * ns(2000));
  EXPECT_EQ(next_turn(3), 3 * ns(2500));
  EXPECT_EQ(next_turn(4), 4 * ns(3000));
}

}  // namespace
}  // namespace aqueduct::sim
