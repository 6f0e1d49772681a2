// Where ranks are put.
#include "sim/placement.hpp"

#include <algorithm>
#include <fstream>

#include "station.hpp"

namespace aqueduct::sim {
namespace {

using Nodes = std::vector<fabric::NodeId>;

Nodes place(const std::string& how, fabric::NodeId nodes, unsigned each, std::uint64_t seed = 1) {
  std::string error;
  const std::optional<Nodes> placed = place_ranks(how, nodes, each, seed, &error);
  EXPECT_TRUE(placed.has_value()) << error;
  return placed.value_or(Nodes{});
}

std::string refusal(const std::string& how) {
  std::string error;
  EXPECT_FALSE(place_ranks(how, 4, 1, 1, &error).has_value());
  return error;
}

TEST(Placement, FollowsItsName) {
  EXPECT_EQ(place("packed", 3, 2), Nodes{});  // as ports are numbered
  EXPECT_EQ(place("cyclic", 3, 2), (Nodes{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(place("strided:2", 5, 1), (Nodes{0, 2, 4, 1, 3}));
  EXPECT_EQ(place("strided:3", 4, 2), (Nodes{0, 0, 3, 3, 1, 1, 2, 2}));
  EXPECT_EQ(place("strided:9", 3, 1), (Nodes{0, 1, 2}));
}

TEST(Placement, AtRandomFillsEveryNodeAsTheSeedHasIt) {
  const Nodes placed = place("random", 64, 2, 7);
  Nodes sorted = placed;
  std::ranges::sort(sorted);
  for (fabric::NodeId rank = 0; rank < 128; ++rank) EXPECT_EQ(sorted[rank], rank / 2);
  for (std::size_t rank = 0; rank < 128; rank += 2) EXPECT_EQ(placed[rank], placed[rank + 1]);
  EXPECT_NE(placed, sorted);
  EXPECT_EQ(placed, place("random", 64, 2, 7));
  EXPECT_NE(placed, place("random", 64, 2, 8));
}

TEST(Placement, OfAFileIsReadLineByLine) {
  const std::string path = testing::TempDir() + "placement.txt";
  std::ofstream(path) << "# two on node 3\n3\n 3 # again\n\n0\n";
  EXPECT_EQ(place("file:" + path, 4, 1), (Nodes{3, 3, 0}));
  std::ofstream(path) << "1\n4\n";
  EXPECT_NE(refusal("file:" + path).find(":2: '4' is not one of nodes 0 to 3"), std::string::npos);
  std::ofstream(path) << "# nothing\n";
  EXPECT_NE(refusal("file:" + path).find("names no node"), std::string::npos);
  EXPECT_NE(refusal("file:/nowhere/at/all").find("cannot read"), std::string::npos);
}

TEST(Placement, OfAnotherKindIsRefused) {
  for (const char* how : {"", "scattered", "strided", "strided:0", "strided:x", "strided:-1"})
    EXPECT_NE(refusal(how).find("it should be packed, cyclic"), std::string::npos) << how;
}

TEST(Placement, DecidesHowFarMessagesGo) {
  const NetworkModel model = make_model({.topology = "mesh"});
  Simulation simulation(
      {.model = &model, .nodes = 5, .dimensions = Topology::Dimensions{5, 1, 1}, .placement = {4, 0, 0}});
  Station a(simulation, 0), b(simulation, 1), c(simulation, 2);
  EXPECT_EQ(simulation.ports(), 3u);
  EXPECT_EQ(simulation.port(0).distance(1), 4u);
  EXPECT_EQ(simulation.port(1).distance(2), 0u);
  a.send(1, "12345678", "");
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(b.arrivals.at(0).when, (200 + 8 + 4 * 100) * kNanosecond);
}

}  // namespace
}  // namespace aqueduct::sim
