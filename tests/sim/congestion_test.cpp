// Random traffic over every topology with the smallest buffers that there are: nothing is lost, nothing comes
// twice, nothing waits for ever, and when all is quiet nothing is left in the network.
#include "sim/network.hpp"
#include "station.hpp"

namespace aqueduct::sim {
namespace {

struct Kind {
  const char* topology;
  const char* routing;
  fabric::NodeId nodes;
};

constexpr Kind kKinds[] = {
    {"crossbar", nullptr, 6},    {"mesh", "dimension-order", 18},  {"mesh", "hashed", 18},
    {"mesh", "adaptive", 18},    {"torus", "dimension-order", 27}, {"torus", "hashed", 27},
    {"torus", "adaptive", 27},   {"torus", "dimension-order", 5},  {"dragonfly", "minimal", 48},
    {"dragonfly", "hashed", 48}, {"dragonfly", "adaptive", 48},    {"dragonfly", "adaptive", 12},
    {"tree", "minimal", 16},     {"tree", "hashed", 16},           {"tree", "adaptive", 13},
};

// One run: each node sends to random ones, much of it to one of them, and answers late as the seed has it.
void run_seed(const Kind& kind, std::uint64_t seed, const char* faults) {
  Random random(seed, 1);
  TestModel test{.topology = kind.topology};
  test.ordered = random.below(2) != 0;
  test.buffer = 1 + static_cast<unsigned>(random.below(3));
  test.room = random.below(2) != 0 ? 256 : 3000;
  test.routing = kind.routing;
  const NetworkModel model = make_model(test);
  Setup setup{.model = &model, .nodes = kind.nodes, .seed = seed};
  setup.every_packet = random.below(2) != 0;
  std::string error;
  ASSERT_TRUE(setup.faults.add(faults, &error)) << error;
  Simulation simulation(setup);
  std::deque<Station> stations;
  std::deque<std::string> payloads;
  for (fabric::NodeId node = 0; node < kind.nodes; ++node) {
    stations.emplace_back(simulation, node);
    if (random.below(3) == 0) stations.back().accepts_after = random.below(30 * kMicrosecond);
  }
  const auto hot = static_cast<fabric::NodeId>(random.below(kind.nodes));
  std::vector<std::vector<std::string>> sent(kind.nodes);  // by target: a header for each
  std::vector<std::vector<std::string>> bytes(kind.nodes);
  const unsigned messages = 6;
  for (fabric::NodeId node = 0; node < kind.nodes; ++node) {
    for (unsigned i = 0; i < messages; ++i) {
      const auto to = random.below(3) == 0 ? hot : static_cast<fabric::NodeId>(random.below(kind.nodes));
      payloads.push_back(pattern(random.below(random.below(3) == 0 ? 6000 : 300), random.next()));
      const std::string header = std::to_string(1000 * (node + 1) + i);
      sent[to].push_back(header);
      bytes[to].push_back(payloads.back());
      stations[node].send(to, header, payloads.back());
    }
  }
  EXPECT_TRUE(simulation.run());
  for (fabric::NodeId node = 0; node < kind.nodes; ++node) {
    std::vector<std::string> came;
    std::vector<std::string> last(kind.nodes);
    for (const Station::Arrived& arrived : stations[node].arrivals) {
      came.push_back(arrived.header);
      if (test.ordered) {
        EXPECT_LT(last[arrived.source], arrived.header);
      }
      last[arrived.source] = arrived.header;
    }
    std::ranges::sort(came);
    std::ranges::sort(sent[node]);
    ASSERT_EQ(came, sent[node]) << kind.topology << " " << kind.routing << ", seed " << seed << ", node "
                                << node;
    std::vector<std::string> landed(stations[node].landed_bytes.begin(), stations[node].landed_bytes.end());
    std::ranges::sort(landed);
    std::ranges::sort(bytes[node]);
    ASSERT_TRUE(landed == bytes[node]) << kind.topology << ", seed " << seed;
    ASSERT_EQ(stations[node].sends.size(), messages) << kind.topology << ", seed " << seed;
  }
  const Switching& switching = simulation.network().switching();
  ASSERT_EQ(switching.packets_under_way(), 0u) << kind.topology << ", seed " << seed;
  for (const Link& link : switching.links()) ASSERT_EQ(link.claims, 0u) << kind.topology << ", seed " << seed;
  const bool same_way = kind.routing == nullptr || std::string(kind.routing) != "adaptive";
  if (*faults == 0 && same_way) {
    ASSERT_EQ(simulation.faults().count(FaultProbe::kHeldForOrder), 0u)
        << "a way that stays the same keeps order";
  }
}

class Congestion : public testing::TestWithParam<Kind> {};

TEST_P(Congestion, LosesNothingAndNeverComesToAStandstill) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) ASSERT_NO_FATAL_FAILURE(run_seed(GetParam(), seed, ""));
}

TEST_P(Congestion, LosesNothingOnANetworkThatFails) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_NO_FATAL_FAILURE(
        run_seed(GetParam(), seed, "drop=20000 corrupt=20000 duplicate=20000 delay=50000 delay-by=20us"));
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, Congestion, testing::ValuesIn(kKinds), [](const auto& info) {
  std::string name = std::string(info.param.topology) + "_" +
                     (info.param.routing != nullptr ? info.param.routing : "only") + "_" +
                     std::to_string(info.param.nodes);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace aqueduct::sim
