// Flow control by request credits: never more than the limit, none lost, everybody has a turn.
#include "parts/request_credits.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "parts/credit_bank.hpp"

namespace aqueduct::parts {
namespace {

TEST(RequestCredits, SoManyAreOutstandingAndNoMore) {
  RequestCredits credits(1000, 3, 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(credits.try_take(999));
  EXPECT_FALSE(credits.try_take(999));
  EXPECT_TRUE(credits.try_take(998)) << "each peer has its own";
  EXPECT_EQ(credits.outstanding(999), 3u);
  EXPECT_EQ(credits.outstanding(0), 0u);
  EXPECT_FALSE(credits.came_back(999, 4)) << "more than were lent";
  EXPECT_FALSE(credits.came_back(7, 1)) << "from somebody who was lent nothing";
  EXPECT_EQ(credits.outstanding(999), 3u);
  EXPECT_TRUE(credits.came_back(999, 2));
  credits.put_back(999);
  EXPECT_EQ(credits.outstanding(999), 0u);
}

// What the heap has given out for credits and bank while a rank talks with three peers.
std::size_t heap_bytes_with(RankId ranks) {
  const std::size_t before = mallinfo2().uordblks;
  RequestCredits credits(ranks, 4, 2);
  CreditBank bank(credits, 64);
  for (RankId peer = ranks - 3; peer < ranks; ++peer) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(credits.try_take(peer));
    EXPECT_EQ(bank.stalled(peer).peer, peer);
    CreditBank::Letters letters;
    EXPECT_TRUE(bank.take(peer, CreditWord::kAsk, 0, &letters));
    credits.owe(peer, 2);
  }
  return mallinfo2().uordblks - before;
}

// The heap counts what it keeps to give out again, so some bytes are let pass: less than one for each peer.
TEST(RequestCredits, SilentPeersTakeNoMemory) {
  const std::size_t few = heap_bytes_with(4);
  EXPECT_LT(heap_bytes_with(4096), few + 1024);
}

TEST(RequestCredits, WhatIsOwedGoesAlongOrByItselfOnceItIsDue) {
  RequestCredits credits(10, 8, 4);
  credits.owe(3, 3);
  EXPECT_EQ(credits.due_peers(), 0u);
  EXPECT_EQ(credits.take_owed(3), 3u);
  EXPECT_EQ(credits.take_owed(3), 0u);
  credits.owe(3, 4);
  credits.owe(3, 1);
  EXPECT_EQ(credits.due_peers(), 1u) << "once, however much it is";
  EXPECT_EQ(credits.take_owed(3), 5u);
  RankId peer = 0;
  EXPECT_EQ(credits.take_due(&peer), 0u) << "it has gone along with something";
  EXPECT_EQ(peer, 3u);
  EXPECT_EQ(credits.due_peers(), 0u);
}

TEST(RequestCredits, PeersThatAreDueTakeTurns) {
  RequestCredits credits(100, 8, 2);
  for (const RankId peer : {70, 4, 33}) credits.owe(peer, 2);
  // The first cannot be sent to, ever: the others are served all the same, and it has a try in each round.
  std::vector<RankId> tried;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t tries = credits.due_peers(); tries != 0; --tries) {
      RankId peer;
      const unsigned owed = credits.take_due(&peer);
      tried.push_back(peer);
      if (peer == 70) credits.owe(peer, owed);
    }
  }
  EXPECT_EQ(tried, (std::vector<RankId>{70, 4, 33, 70, 70}));
}

TEST(RequestCredits, EachLookForWhomWeAwaitBeginsElsewhere) {
  constexpr RankId kRanks = 1000;
  RequestCredits credits(kRanks, 4, 1);
  std::set<RankId> awaited, found;
  for (RankId peer = 5; peer < kRanks; peer += 37) {
    credits.try_take(peer);
    awaited.insert(peer);
  }
  for (std::size_t look = 0; look < awaited.size() / ProbeList::kMost + 1; ++look) {
    ProbeList some;
    credits.list_unanswered(some);
    found.insert(some.begin(), some.end());
  }
  EXPECT_EQ(found, awaited);
  for (const RankId peer : awaited) credits.came_back(peer, 1);
  ProbeList nobody;
  credits.list_unanswered(nobody);
  EXPECT_EQ(nobody.begin(), nobody.end());
}

/// Ranks that send each other requests at random, over links that deliver in order and refuse at times.
class Traffic {
 public:
  Traffic(std::uint32_t seed, RankId ranks, unsigned limit, unsigned due)
      : random_(seed), ranks_(ranks), limit_(limit), links_(std::size_t{ranks} * ranks) {
    for (RankId rank = 0; rank < ranks; ++rank) {
      credits_.push_back(std::make_unique<RequestCredits>(ranks, limit, due));
    }
  }

  void step() {
    const RankId a = random_() % ranks_, b = random_() % ranks_;
    switch (random_() % 4) {
      case 0:
      case 1:
        return request(a, b);
      case 2:
        return arrive(a, b);
      default:
        return give_back(a);
    }
  }
  /// Nobody sends requests any more, and everything arrives.
  void drain() {
    refuses_ = false;
    for (bool is_moving = true; is_moving;) {
      is_moving = false;
      for (RankId a = 0; a < ranks_; ++a) {
        give_back(a);
        for (RankId b = 0; b < ranks_; ++b) {
          for (; !link(a, b).messages.empty(); is_moving = true) arrive(a, b);
        }
      }
    }
  }
  /// Between a and b, in one direction: what is outstanding is under way, waits, or is owed.
  void check(RankId a, RankId b) const {
    const Link& there = links_[a * ranks_ + b];
    EXPECT_LE(credits_[a]->outstanding(b), limit_);
    EXPECT_EQ(credits_[a]->outstanding(b), there.requests + there.owed + there.returning);
  }
  void check_all() const {
    for (RankId a = 0; a < ranks_; ++a) {
      for (RankId b = 0; b < ranks_; ++b) check(a, b);
    }
  }
  unsigned owed(RankId a, RankId b) const { return links_[a * ranks_ + b].owed; }
  unsigned sent(RankId a, RankId b) const { return links_[a * ranks_ + b].sent; }
  unsigned stalls() const { return stalls_; }

 private:
  struct Traveller {
    bool is_request;
    unsigned credits;  // that come back with it, its own as a reply's included
  };
  /// From one rank to another; the counts are of the requests of this direction.
  struct Link {
    std::deque<Traveller> messages;
    unsigned requests = 0, returning = 0, owed = 0, sent = 0;
  };
  Link& link(RankId a, RankId b) { return links_[a * ranks_ + b]; }

  bool send(RankId a, RankId b, bool is_request, unsigned own, unsigned owed) {
    if (refuses_ && random_() % 4 == 0) return false;
    link(a, b).messages.push_back({is_request, own + owed});
    link(b, a).owed -= owed;
    link(b, a).returning += own + owed;
    return true;
  }

  void request(RankId a, RankId b) {
    if (!credits_[a]->try_take(b)) {
      ++stalls_;
      return;
    }
    const unsigned owed = credits_[a]->take_owed(b);
    if (!send(a, b, true, 0, owed)) {
      credits_[a]->owe(b, owed);
      credits_[a]->put_back(b);
      return;
    }
    ++link(a, b).requests;
    ++link(a, b).sent;
  }

  void arrive(RankId a, RankId b) {
    if (link(a, b).messages.empty()) return;
    const Traveller message = link(a, b).messages.front();
    link(a, b).messages.pop_front();
    ASSERT_TRUE(credits_[b]->came_back(a, message.credits));
    link(b, a).returning -= message.credits;
    if (!message.is_request) return;
    --link(a, b).requests;
    const unsigned owed = random_() % 2 == 0 ? credits_[b]->take_owed(a) : 0;
    const bool replies = random_() % 2 == 0;
    if (replies && send(b, a, false, 1, owed)) return;
    if (owed != 0) credits_[b]->owe(a, owed);
    credits_[b]->owe(a, 1);
    ++link(a, b).owed;
  }

  void give_back(RankId a) {
    for (std::size_t tries = credits_[a]->due_peers(); tries != 0; --tries) {
      RankId peer;
      const unsigned owed = credits_[a]->take_due(&peer);
      if (owed != 0 && !send(a, peer, false, 0, owed)) credits_[a]->owe(peer, owed);
    }
  }

  std::mt19937 random_;
  RankId ranks_;
  unsigned limit_;
  bool refuses_ = true;
  unsigned stalls_ = 0;
  std::vector<Link> links_;
  std::vector<std::unique_ptr<RequestCredits>> credits_;
};

TEST(RequestCredits, NoneAreLostInRandomTraffic) {
  struct Shape {
    RankId ranks;
    unsigned limit, due;
  };
  for (const Shape shape : {Shape{2, 32, 16}, {5, 1, 1}, {9, 8, 1}, {70, 4, 2}, {130, 2, 1}}) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE("ranks " + std::to_string(shape.ranks) + ", seed " + std::to_string(seed));
      Traffic traffic(seed, shape.ranks, shape.limit, shape.due);
      const unsigned steps = 40 * shape.ranks * shape.ranks + 20'000;
      for (unsigned i = 0; i < steps; ++i) {
        traffic.step();
        if (i % (steps / 8) == 0) traffic.check_all();
      }
      if (testing::Test::HasFailure()) return;
      EXPECT_GT(traffic.stalls(), 0u) << "the limit was never reached";
      traffic.drain();
      traffic.check_all();
      unsigned least = ~0u, most = 0;
      for (RankId a = 0; a < shape.ranks; ++a) {
        for (RankId b = 0; b < shape.ranks; ++b) {
          EXPECT_LT(traffic.owed(a, b), shape.due) << "what is due has been given back";
          least = std::min(least, traffic.sent(a, b));
          most = std::max(most, traffic.sent(a, b));
        }
      }
      EXPECT_GT(least, 0u) << "somebody never had a turn";
      if (shape.ranks <= 9) {
        EXPECT_LT(most, 2 * least) << "some have many more turns than others";
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace aqueduct::parts
