// Peers that owe an answer are probed; only one whose interface is silent, too, is given up.
#include "parts/peer_watch.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aqueduct::parts {
namespace {

constexpr std::uint64_t kPatience = 8000, kStep = kPatience / PeerWatch::kLooks;

class PeerWatchTest : public ::testing::Test, protected PeerWatch::Client {
 protected:
  struct Sent {
    RankId peer;
    std::uint32_t name;
  };

  void find_awaited(PeerWatch::Awaited& awaited) override {
    for (const RankId peer : owing) awaited.add(peer);
  }
  void probe(RankId peer, std::uint32_t name) override { sent.push_back({peer, name}); }
  void gave_up(RankId peer, std::uint64_t waited_ns) override {
    given_up.push_back(peer);
    EXPECT_GE(waited_ns, kPatience);
  }

  /// So many looks, one step apart.
  void look(unsigned times, bool all = true) {
    for (unsigned i = 0; i < times; ++i) watch.look(now += kStep, all);
  }

  std::vector<RankId> owing;
  std::vector<Sent> sent;
  std::vector<RankId> given_up;
  std::uint64_t now = 1;
  PeerWatch watch{*this, kPatience};
};

TEST_F(PeerWatchTest, NobodyIsProbedWhoOwesNothing) {
  look(100);
  EXPECT_TRUE(sent.empty());
  EXPECT_FALSE(watch.is_waiting());
}

TEST_F(PeerWatchTest, ASilentDebtorIsGivenUpWhenOurPatienceEnds) {
  owing = {3};
  look(2 + PeerWatch::kLooks - 1);
  EXPECT_FALSE(sent.empty());
  EXPECT_TRUE(watch.is_waiting());
  EXPECT_TRUE(given_up.empty());
  look(1);
  EXPECT_EQ(given_up, std::vector<RankId>{3});
}

TEST_F(PeerWatchTest, ADebtorThatAnswersMayOweForEver) {
  owing = {3};
  for (unsigned i = 0; i < 10 * PeerWatch::kLooks; ++i) {
    look(1);
    if (!sent.empty()) watch.answered(sent.back().name);
    EXPECT_FALSE(watch.is_waiting());
  }
  EXPECT_TRUE(given_up.empty());
}

TEST_F(PeerWatchTest, WhoHasPaidIsForgotten) {
  owing = {3};
  look(PeerWatch::kLooks);
  owing = {};
  look(1);
  EXPECT_FALSE(watch.is_waiting());
  owing = {3};
  look(PeerWatch::kLooks);
  EXPECT_TRUE(given_up.empty()) << "its time begins anew";
}

TEST_F(PeerWatchTest, TimeInWhichWeWereStoppedDoesNotCount) {
  owing = {3};
  look(2);
  now += 1000 * kPatience;
  look(1);
  EXPECT_TRUE(given_up.empty());
}

TEST_F(PeerWatchTest, OnRequestOnlyThoseAreProbedAgainThatHaveNotAnswered) {
  owing = {3, 5};
  look(2);
  ASSERT_EQ(sent.size(), 2u);
  watch.answered(sent[0].name);
  sent.clear();
  look(1, false);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].peer, 5u);
}

TEST_F(PeerWatchTest, AnAnswerThatComesLateOrTwiceIsNobodys) {
  owing = {3};
  look(2);
  watch.answered(sent[0].name);
  watch.answered(sent[0].name);
  watch.answered(0);
  look(1);
  EXPECT_TRUE(watch.is_waiting());
  watch.answered(sent[0].name);
  EXPECT_TRUE(watch.is_waiting()) << "that was the name of an earlier probe";
}

TEST_F(PeerWatchTest, MoreDebtorsThanProbesAreServedInPart) {
  for (RankId peer = 0; peer < 20; ++peer) owing.push_back(peer);
  look(2);
  EXPECT_EQ(sent.size(), PeerWatch::kMostProbes);
}

}  // namespace
}  // namespace aqueduct::parts
