// A table by peer that grows with those that were asked for.
#include "base/peer_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace aqueduct {
namespace {

TEST(PeerMap, HoldsWhatWasPutForEachPeer) {
  PeerMap<std::uint32_t> map;
  std::map<RankId, std::uint32_t> expected;
  std::mt19937 random(7);
  EXPECT_EQ(map.find(0), nullptr);
  for (int i = 0; i < 5000; ++i) {
    // Peers as those of a barrier, at powers of two, and any others.
    const RankId peer = i % 2 == 0 ? RankId{1} << random() % 31 : random() % 3000;
    const std::uint32_t value = random();
    map.at(peer) = expected[peer] = value;
  }
  EXPECT_EQ(map.size(), expected.size());
  for (const auto& [peer, value] : expected) {
    ASSERT_NE(map.find(peer), nullptr);
    EXPECT_EQ(*map.find(peer), value);
  }
  EXPECT_EQ(map.find(kNoRank - 1), nullptr);
}

TEST(PeerMap, KeepsWhatItReturnedInItsPlaceWhileOnlyKnownPeersAreAskedFor) {
  PeerMap<int> map;
  for (RankId newest = 0; newest < 100; ++newest) {
    const int* const value = &map.at(newest);
    for (RankId known = 0; known <= newest; ++known) map.at(known);
    EXPECT_EQ(&map.at(newest), value) << "of " << newest + 1 << " peers";
  }
}

TEST(PeerMap, ListsPeersInTheOrderOfRanks) {
  PeerMap<int> map;
  for (const RankId peer : {900'000, 3, 70, 4, 65'536}) map.at(peer) = static_cast<int>(peer % 2);
  EXPECT_EQ(map.peers_with([](int value) { return value == 0; }),
            (std::vector<RankId>{4, 70, 65'536, 900'000}));
}

}  // namespace
}  // namespace aqueduct
