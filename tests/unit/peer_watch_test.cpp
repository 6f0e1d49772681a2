// Peers whose answers are missing are probed; only one whose interface is silent, too, is given up.
#include "papers/parts/peer_watch.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aqueduct::parts {
namespace {

constexpr std::uint64_t kTimeout = 8000, kStep = kTimeout / PeerWatch::kLooks;

class PeerWatchTest : public ::testing::Test, protected PeerWatch::Client {
 protected:
  struct Sent {
    RankId peer;
    std::uint32_t name;
  };

  void list_unanswered(ProbeList& peers) override {
    for (const RankId peer : unanswered) peers.add(peer);
  }
  void probe(RankId peer, std::uint32_t name) override { sent.push_back({peer, name}); }
  void gave_up(RankId peer, std::uint64_t waited_ns) override {
    given_up.push_back(peer);
    EXPECT_GE(waited_ns, kTimeout);
  }

  /// So many looks, one step apart.
  void look(unsigned times, bool all = true) {
    for (unsigned i = 0; i < times; ++i) watch.look(now += kStep, all);
  }

  std::vector<RankId> unanswered;
  std::vector<Sent> sent;
  std::vector<RankId> given_up;
  std::uint64_t now = 1;
  PeerWatch watch{*this, kTimeout};
};

TEST_F(PeerWatchTest, NobodyIsProbedWhoHasAnswered) {
  look(100);
  EXPECT_TRUE(sent.empty());
  EXPECT_FALSE(watch.is_waiting());
}

TEST_F(PeerWatchTest, ASilentPeerIsGivenUpWhenTheTimeoutEnds) {
  unanswered = {3};
  look(2 + PeerWatch::kLooks - 1);
  EXPECT_FALSE(sent.empty());
  EXPECT_TRUE(watch.is_waiting());
  EXPECT_TRUE(given_up.empty());
  look(1);
  EXPECT_EQ(given_up, std::vector<RankId>{3});
}

TEST_F(PeerWatchTest, APeerWhoseInterfaceAnswersMayTakeForEver) {
  unanswered = {3};
  for (unsigned i = 0; i < 10 * PeerWatch::kLooks; ++i) {
    look(1);
    if (!sent.empty()) watch.answered(sent.back().name);
    EXPECT_FALSE(watch.is_waiting());
  }
  EXPECT_TRUE(given_up.empty());
}

TEST_F(PeerWatchTest, WhoHasPaidIsForgotten) {
  unanswered = {3};
  look(PeerWatch::kLooks);
  unanswered = {};
  look(1);
  EXPECT_FALSE(watch.is_waiting());
  unanswered = {3};
  look(PeerWatch::kLooks);
  EXPECT_TRUE(given_up.empty()) << "its time begins anew";
}

TEST_F(PeerWatchTest, TimeInWhichWeWereStoppedDoesNotCount) {
  unanswered = {3};
  look(2);
  now += 1000 * kTimeout;
  look(1);
  EXPECT_TRUE(given_up.empty());
}

TEST_F(PeerWatchTest, OnRequestOnlyThoseAreProbedAgainThatHaveNotAnswered) {
  unanswered = {3, 5};
  look(2);
  ASSERT_EQ(sent.size(), 2u);
  watch.answered(sent[0].name);
  sent.clear();
  look(1, false);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].peer, 5u);
}

TEST_F(PeerWatchTest, AnAnswerThatComesLateOrTwiceIsNobodys) {
  unanswered = {3};
  look(2);
  watch.answered(sent[0].name);
  watch.answered(sent[0].name);
  watch.answered(0);
  look(1);
  EXPECT_TRUE(watch.is_waiting());
  watch.answered(sent[0].name);
  EXPECT_TRUE(watch.is_waiting()) << "that was the name of an earlier probe";
}

TEST_F(PeerWatchTest, MorePeersThanProbesAreServedInPart) {
  for (RankId peer = 0; peer < 20; ++peer) unanswered.push_back(peer);
  look(2);
  EXPECT_EQ(sent.size(), PeerWatch::kMostProbes);
}

}  // namespace
}  // namespace aqueduct::parts
