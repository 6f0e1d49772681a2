// Credits that are borrowed: none is lost, silent peers give theirs back, and who talks has them.
#include "parts/credit_bank.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace aqueduct::parts {
namespace {

constexpr unsigned kLeast = 4;
constexpr unsigned kBanked = 40;

/// Ranks whose letters go over links that deliver in order.
class Ranks {
 public:
  explicit Ranks(RankId count) : links_(std::size_t{count} * count) {
    for (RankId rank = 0; rank < count; ++rank) members_.push_back(std::make_unique<Member>(count));
  }

  RankId count() const { return static_cast<RankId>(members_.size()); }
  RequestCredits& credits(RankId rank) { return members_[rank]->credits; }
  CreditBank& bank(RankId rank) { return members_[rank]->bank; }

  /// Takes a credit of b's for a, who asks for more if there is none.
  bool request(RankId a, RankId b) {
    if (credits(a).try_take(b)) return true;
    post(a, bank(a).stalled(b));
    return false;
  }
  void answer(RankId a, RankId b) {
    if (credits(a).outstanding(b) != 0) credits(a).came_back(b, 1);
  }
  bool deliver(RankId from, RankId to) {
    std::deque<CreditBank::Letter>& link = links_[from * count() + to];
    if (link.empty()) return false;
    const CreditBank::Letter letter = link.front();
    link.pop_front();
    CreditBank::Letters letters;
    EXPECT_TRUE(bank(to).take(from, letter.word, letter.count, &letters));
    post(to, letters.first);
    post(to, letters.second);
    return true;
  }
  void deliver_all() {
    for (bool is_moving = true; is_moving;) {
      is_moving = false;
      for (RankId a = 0; a < count(); ++a)
        for (RankId b = 0; b < count(); ++b) is_moving |= deliver(a, b);
    }
  }
  /// What is lent, where it is used and on its way, is what the lender has written down.
  void check(RankId lender) {
    unsigned lent = 0;
    for (RankId borrower = 0; borrower < count(); ++borrower) {
      lent += credits(borrower).limit(lender) - kLeast;
      for (const CreditBank::Letter& letter : links_[lender * count() + borrower])
        lent += letter.word == CreditWord::kGrant ? letter.count : 0;
      for (const CreditBank::Letter& letter : links_[borrower * count() + lender])
        lent += letter.word == CreditWord::kReturn ? letter.count : 0;
    }
    ASSERT_EQ(lent, bank(lender).lent());
    ASSERT_EQ(lent + bank(lender).free(), kBanked);
  }

 private:
  struct Member {
    explicit Member(RankId ranks) : credits(ranks, kLeast, kLeast / 2), bank(credits, kBanked) {}
    RequestCredits credits;
    CreditBank bank;
  };
  void post(RankId from, const CreditBank::Letter& letter) {
    if (letter.peer != kNoRank) links_[from * count() + letter.peer].push_back(letter);
  }

  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::deque<CreditBank::Letter>> links_;
};

unsigned take_all(Ranks& ranks, RankId from, RankId to) {
  for (int stalls = 0; stalls < 2000; ++stalls) {
    ranks.request(from, to);
    ranks.deliver_all();
  }
  return ranks.credits(from).outstanding(to);
}

TEST(CreditBank, WhoTalksAloneBorrowsEverything) {
  Ranks ranks(100);
  EXPECT_EQ(take_all(ranks, 7, 3), kLeast + kBanked);
  EXPECT_EQ(ranks.bank(3).free(), 0u);
  EXPECT_EQ(ranks.bank(4).free(), kBanked) << "each rank has a bank of its own";
}

TEST(CreditBank, WhoHasFallenSilentGivesItBackWhenSomebodyElseAsks) {
  Ranks ranks(100);
  for (unsigned taken = take_all(ranks, 7, 3); taken != 0; --taken) ranks.answer(7, 3);
  EXPECT_EQ(take_all(ranks, 8, 3), kLeast + kBanked);
  EXPECT_EQ(ranks.credits(7).limit(3), kLeast);
}

TEST(CreditBank, WhatIsInUseIsNotTakenAway) {
  Ranks ranks(100);
  take_all(ranks, 7, 3);
  EXPECT_EQ(take_all(ranks, 8, 3), kLeast);
  EXPECT_EQ(ranks.credits(7).outstanding(3), kLeast + kBanked);
}

TEST(CreditBank, AnEmptyBankIsNotAskedAtEachStall) {
  Ranks ranks(3);
  take_all(ranks, 0, 2);
  unsigned asked = 0;
  for (unsigned stalls = 0; stalls < 10 * CreditBank::kPatience; ++stalls) {
    asked += ranks.bank(1).stalled(2).peer != kNoRank;
    CreditBank::Letters letters;
    if (asked != 0) ranks.bank(1).take(2, CreditWord::kGrant, 0, &letters);
  }
  EXPECT_LE(asked, 11u);
}

TEST(CreditBank, WhatNobodySaysIsRefused) {
  Ranks ranks(3);
  CreditBank::Letters letters;
  EXPECT_FALSE(ranks.bank(0).take(1, CreditWord::kGrant, 1, &letters)) << "nobody has asked";
  EXPECT_FALSE(ranks.bank(0).take(1, CreditWord::kReturn, 1, &letters)) << "nobody was asked to";
  EXPECT_FALSE(ranks.bank(0).take(1, static_cast<CreditWord>(9), 0, &letters));
}

TEST(CreditBank, NoneIsLostInRandomTraffic) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    Ranks ranks(5);
    for (int step = 0; step < 2000; ++step) {
      const RankId a = random() % 5, b = random() % 5;
      if (random() % 4 != 0) {
        ranks.request(a, b);
      } else if (random() % 2 != 0) {
        ranks.answer(a, b);
      } else {
        ranks.deliver(a, b);
      }
      if (step % 50 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(ranks.check(b)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace aqueduct::parts
