// Flow control: what is promised is there, credits are conserved, everybody gets through.
#include "papers/parts/credits.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "papers/parts/credit_audit.hpp"
#include "papers/parts/credit_plan.hpp"

namespace aqueduct::parts {
namespace {

CreditSettings settings(RankId peers, RankId self, std::uint16_t per_peer, std::uint32_t banked) {
  CreditSettings result;
  result.peers = peers;
  result.self = self;
  result.per_peer = per_peer;
  result.banked = banked;
  return result;
}

TEST(CreditByte, KeepsItsThreeParts) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(CreditByte::decode(static_cast<std::uint8_t>(byte)).encode(), byte);
  }
  EXPECT_EQ((CreditByte{true, 7, 15}).encode(), 0xff);
  EXPECT_EQ((CreditByte{false, 3, 9}).encode(), 0x39);
}

TEST(Credits, AHolderUsesNoMoreThanItHoldsAndSaysWhatItMissed) {
  Credits holder(settings(2, 0, 8, 100));
  CreditByte byte;
  ASSERT_TRUE(holder.try_acquire(1, 6, &byte));
  EXPECT_EQ(byte.used, 6);
  EXPECT_EQ(byte.extra, 0);
  EXPECT_FALSE(holder.try_acquire(1, 5, &byte));
  EXPECT_FALSE(holder.try_acquire(1, 5, &byte));
  EXPECT_EQ(holder.stalls(), 1u) << "a stall is counted once";
  holder.on_reply(1, {false, 0, 6});
  ASSERT_TRUE(holder.try_acquire(1, 5, &byte));
  EXPECT_EQ(byte.extra, 3) << "three more would have avoided the stall";
  ASSERT_TRUE(holder.try_acquire(1, 1, &byte));
  EXPECT_EQ(byte.extra, 0) << "said once";
}

TEST(Credits, ARequestThatIsNotSentLeavesNoTrace) {
  CreditSettings short_epochs = settings(2, 0, 8, 100);
  short_epochs.epoch_requests = 1;
  Credits holder(short_epochs);
  Credits::Revocations revocations;
  CreditByte byte;
  ASSERT_TRUE(holder.try_acquire(1, 8, &byte));
  EXPECT_FALSE(holder.try_acquire(1, 3, &byte));
  holder.on_reply(1, {false, 0, 8});
  (void)holder.on_request(1, {false, 0, 1}, &revocations);  // ends an epoch, and says so
  (void)holder.on_request(1, {false, 0, 1}, &revocations);
  ASSERT_TRUE(holder.try_acquire(1, 3, &byte));
  const CreditByte first = byte;
  EXPECT_EQ(first.extra, 3);
  holder.put_back(1, byte);
  EXPECT_EQ(holder.in_use(1), 0u);
  ASSERT_TRUE(holder.try_acquire(1, 3, &byte));
  EXPECT_EQ(byte.encode(), first.encode()) << "what was to be said is said by the next";
}

TEST(Credits, TheBankGrantsAllOrNothing) {
  Credits lender(settings(3, 0, 8, 10));
  Credits::Revocations revocations;
  EXPECT_EQ(lender.on_request(1, {false, 7, 1}, &revocations).extra, 7);
  EXPECT_EQ(lender.banked(), 3u);
  EXPECT_EQ(lender.on_request(1, {false, 4, 1}, &revocations).extra, 0);
  EXPECT_EQ(lender.on_request(2, {false, 3, 1}, &revocations).extra, 3);
  EXPECT_EQ(lender.banked(), 0u);
  EXPECT_EQ(lender.loaned(1), 15u);
  EXPECT_EQ(lender.loaned(2), 11u);
}

TEST(Credits, APeerIsNotGrantedMoreThanTheLimitOfAnEpochNorBeyondItsMaximum) {
  CreditSettings limited = settings(2, 0, 8, 10000);
  limited.lender_limit = 10;
  limited.most_per_peer = 20;
  limited.epoch_requests = 4;
  Credits lender(limited);
  Credits::Revocations revocations;
  EXPECT_EQ(lender.on_request(1, {false, 7, 1}, &revocations).extra, 7);
  EXPECT_EQ(lender.on_request(1, {false, 7, 1}, &revocations).extra, 0) << "14 in one epoch";
  (void)lender.on_request(1, {false, 0, 1}, &revocations);
  const CreditByte told = lender.on_request(1, {false, 5, 1}, &revocations);  // ends the epoch first
  EXPECT_TRUE(told.epoch_ended);
  EXPECT_EQ(told.extra, 5);
  EXPECT_EQ(lender.loaned(1), 20u);
  EXPECT_FALSE(lender.on_request(1, {false, 1, 1}, &revocations).epoch_ended) << "said once";
  EXPECT_EQ(lender.loaned(1), 20u) << "at its maximum";
}

TEST(Credits, AnEmptyBankTakesBackFromThoseWhoDoNotAsk) {
  CreditSettings all = settings(3, 0, 20, 0);
  Credits lender(all);
  all.self = 2;
  Credits idle(all);
  Credits::Revocations revocations;
  EXPECT_EQ(lender.on_request(1, {false, 4, 1}, &revocations).extra, 0);
  ASSERT_EQ(revocations.count, 1u) << "1 has just asked, so only 2 can be idle";
  EXPECT_EQ(revocations.peers[0], 2u);
  const Credits::Returned returned = idle.on_revoke(0, false);
  EXPECT_EQ(returned.credits, 12) << "all above the minimum";
  lender.on_return(2, returned);
  EXPECT_EQ(lender.banked(), 12u);
  EXPECT_EQ(lender.on_request(1, {false, 4, 1}, &revocations).extra, 4);
  EXPECT_EQ(idle.on_revoke(0, false).credits, 0) << "the minimum stays";
}

TEST(Credits, APeerThatReturnedNothingIsNotAskedAgainInTheSameEpoch) {
  CreditSettings all = settings(3, 0, 20, 0);
  all.epoch_requests = 8;
  Credits lender(all);
  Credits::Revocations revocations;
  (void)lender.on_request(1, {false, 4, 1}, &revocations);
  ASSERT_EQ(revocations.count, 1u);
  (void)lender.on_request(1, {false, 4, 1}, &revocations);
  EXPECT_EQ(revocations.count, 0u) << "one at a time";
  lender.on_return(2, {});
  (void)lender.on_request(1, {false, 4, 1}, &revocations);
  EXPECT_EQ(revocations.count, 0u) << "it has said no";
  unsigned asked = 0;
  for (int request = 3; request < 9; ++request) {
    (void)lender.on_request(1, {false, 4, 1}, &revocations);
    asked += revocations.count;
  }
  EXPECT_EQ(asked, 1u) << "a new epoch, a new question";
}

TEST(Credits, WhoHasStalledLatelyKeepsWhatItHas) {
  CreditSettings all = settings(2, 0, 20, 0);
  Credits holder(all);
  CreditByte byte;
  for (int i = 0; i < 5; ++i) (void)holder.try_acquire(1, 8, &byte);
  ASSERT_EQ(holder.stalls(), 1u);
  holder.on_reply(1, {false, 0, 8});
  holder.on_reply(1, {false, 0, 8});
  EXPECT_EQ(holder.on_revoke(1, false).credits, 0);
  EXPECT_EQ(holder.on_revoke(1, true).credits, 12) << "stalls and use have decayed with the epoch";
}

TEST(Credits, WhatWasUsedCountsForAQuarterAfterEachEpoch) {
  CreditSettings all = settings(2, 0, 64, 0);
  all.revoke_limit = 100;
  Credits holder(all);
  CreditByte byte;
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(holder.try_acquire(1, 8, &byte));
  for (int i = 0; i < 8; ++i) holder.on_reply(1, {false, 0, 8});
  EXPECT_EQ(holder.on_revoke(1, false).credits, 0) << "all 64 were in use in this epoch";
  EXPECT_EQ(holder.on_revoke(1, true).credits, 48) << "16 of the 64 still count";
  EXPECT_EQ(holder.on_revoke(1, true).credits, 8) << "4 of them, and never less than the least";
}

TEST(Credits, StaticPartitioningSharesAllOfTheBankAndHoldersAgree) {
  constexpr RankId kRanks = 5;
  std::vector<std::unique_ptr<Credits>> ranks;
  for (RankId self = 0; self < kRanks; ++self) {
    CreditSettings mine = settings(kRanks, self, 8, 10);
    mine.dynamic = false;
    ranks.push_back(std::make_unique<Credits>(mine));
  }
  for (RankId lender = 0; lender < kRanks; ++lender) {
    EXPECT_EQ(ranks[lender]->total(), 4 * 8 + 10u);
    EXPECT_EQ(ranks[lender]->banked(), 0u);
    for (RankId holder = 0; holder < kRanks; ++holder) {
      if (holder == lender) continue;
      EXPECT_EQ(ranks[lender]->loaned(holder), ranks[holder]->held(lender)) << lender << " to " << holder;
    }
  }
}

// A world of ranks whose messages take their time. Requests wait at the target until its handler runs, which
// is when their room becomes free; replies, revocations and returns overtake requests of other pairs freely.
class World {
 public:
  World(std::uint64_t seed, RankId ranks, const CreditSettings& common) : random_(seed), waiting_(ranks) {
    for (RankId self = 0; self < ranks; ++self) {
      CreditSettings mine = common;
      mine.peers = ranks;
      mine.self = self;
      ranks_.push_back(std::make_unique<Credits>(mine));
    }
    in_buffers_.resize(ranks);
    pending_.resize(ranks);
  }

  void send_some(RankId from, RankId to, unsigned count) {
    for (unsigned i = 0; i < count; ++i) pending_[from].push_back({to, 1 + below(8)});
  }

  // Runs until everything is sent and answered. False: nobody can go on.
  bool run() {
    for (std::uint64_t idle = 0; idle < 100000;) {
      if (!step()) {
        ++idle;
        if (quiet()) return true;
      } else {
        idle = 0;
      }
    }
    return false;
  }

  std::string audit() const {
    std::vector<const Credits*> all;
    for (const auto& rank : ranks_) all.push_back(rank.get());
    return audit_credits(all);
  }

  Credits& credits(RankId rank) { return *ranks_[rank]; }

  bool overflowed() const { return overflowed_; }
  std::uint64_t grants() const { return grants_; }
  std::uint64_t returns() const { return returns_; }

 private:
  enum class Kind { kReply, kRevoke, kReturn };
  struct Wish {
    RankId to;
    unsigned credits;
  };
  struct Request {
    RankId from;
    CreditByte byte;
  };
  struct Control {
    Kind kind;
    RankId from, to;
    CreditByte byte;
    Credits::Returned returned;
  };

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  bool step() {
    const auto rank = static_cast<RankId>(below(static_cast<unsigned>(ranks_.size())));
    switch (below(3)) {
      case 0:
        return send(rank);
      case 1:
        return serve(rank);
      default:
        return carry();
    }
  }

  bool send(RankId self) {
    if (pending_[self].empty()) return false;
    Wish& wish = pending_[self].front();
    CreditByte byte;
    if (!ranks_[self]->try_acquire(wish.to, wish.credits, &byte)) return false;
    in_buffers_[wish.to] += wish.credits;
    if (in_buffers_[wish.to] > ranks_[wish.to]->total()) overflowed_ = true;
    waiting_[wish.to].push_back({self, CreditByte::decode(byte.encode())});
    pending_[self].pop_front();
    return true;
  }

  bool serve(RankId self) {
    if (waiting_[self].empty()) return false;
    const Request request = waiting_[self].front();
    waiting_[self].pop_front();
    Credits::Revocations revocations;
    in_buffers_[self] -= request.byte.used;
    const CreditByte answer = ranks_[self]->on_request(request.from, request.byte, &revocations);
    if (answer.extra != 0) ++grants_;
    controls_.push_back({Kind::kReply, self, request.from, answer, {}});
    for (unsigned i = 0; i < revocations.count; ++i) {
      controls_.push_back(
          {Kind::kRevoke, self, revocations.peers[i], {revocations.epoch_ended[i], 0, 0}, {}});
    }
    return true;
  }

  bool carry() {
    if (controls_.empty()) return false;
    const unsigned which = below(static_cast<unsigned>(controls_.size()));
    const Control control = controls_[which];
    controls_.erase(controls_.begin() + which);
    Credits& there = *ranks_[control.to];
    switch (control.kind) {
      case Kind::kReply:
        there.on_reply(control.from, control.byte);
        break;
      case Kind::kRevoke:
        controls_.push_back({Kind::kReturn,
                             control.to,
                             control.from,
                             {},
                             there.on_revoke(control.from, control.byte.epoch_ended)});
        break;
      case Kind::kReturn:
        if (control.returned.credits != 0) ++returns_;
        there.on_return(control.from, control.returned);
        break;
    }
    return true;
  }

  bool quiet() const {
    for (const auto& wishes : pending_)
      if (!wishes.empty()) return false;
    for (const auto& requests : waiting_)
      if (!requests.empty()) return false;
    return controls_.empty();
  }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Credits>> ranks_;
  std::vector<std::deque<Request>> waiting_;
  std::vector<std::deque<Wish>> pending_;
  std::vector<std::uint64_t> in_buffers_;
  std::deque<Control> controls_;
  bool overflowed_ = false;
  std::uint64_t grants_ = 0, returns_ = 0;
};

TEST(Credits, ManyToOneBurstsNeverOverflowAndEverythingIsConserved) {
  std::uint64_t grants = 0, returns = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto count = static_cast<RankId>(2 + random() % 7);
    CreditSettings common;
    common.per_peer = static_cast<std::uint16_t>(8 + random() % 9);
    common.banked = static_cast<std::uint32_t>(random() % 40);
    common.epoch_requests = static_cast<std::uint32_t>(4 + random() % 60);
    common.dynamic = seed % 5 != 0;
    World world(seed, count, common);
    for (int phase = 0; phase < 4; ++phase) {
      const auto target = static_cast<RankId>(random() % count);
      for (RankId from = 0; from < count; ++from) {
        if (from != target) world.send_some(from, target, static_cast<unsigned>(random() % 40));
        const auto other = static_cast<RankId>(random() % count);
        if (other != from) world.send_some(from, other, static_cast<unsigned>(random() % 10));
      }
      ASSERT_TRUE(world.run()) << "nobody can go on";
      ASSERT_FALSE(world.overflowed());
      ASSERT_EQ(world.audit(), "");
    }
    grants += world.grants();
    returns += world.returns();
  }
  EXPECT_GT(grants, 100u) << "the bank was used";
  EXPECT_GT(returns, 100u) << "revocation was used";
}

// What goes wrong with credits shows: the audit is not blind.
TEST(CreditAudit, FindsCreditsThatWereLostMadeOrTakenTwice) {
  CreditSettings common;
  common.per_peer = 12;
  common.banked = 40;
  const auto audit_after = [&](auto&& act) {
    World world(1, 3, common);
    EXPECT_EQ(world.audit(), "");
    act(world);
    return world.audit();
  };
  CreditByte byte;
  EXPECT_EQ(audit_after([&](World& world) {
              world.credits(1).on_reply(2, {false, 3, 0});
            }),
            "rank 1 holds 15 credits of rank 2, which has lent it 12");
  EXPECT_EQ(audit_after([&](World& world) { (void)world.credits(1).on_revoke(0, false); }),
            "rank 1 holds 8 credits of rank 0, which has lent it 12");
  EXPECT_EQ(audit_after([&](World& world) { ASSERT_TRUE(world.credits(2).try_acquire(0, 5, &byte)); }),
            "rank 2 has 5 credits of rank 0 in use, and nothing is under way");
  EXPECT_EQ(audit_after([&](World& world) {
              Credits::Revocations revocations;
              (void)world.credits(0).on_request(1, {false, 7, 1}, &revocations);
            }),
            "rank 1 holds 12 credits of rank 0, which has lent it 19");
}

// Two ranks whose threads send, serve and reply all at once, through queues under a lock.
TEST(Credits, ThreadsMayShareAnAccount) {
  constexpr unsigned kThreads = 2, kMessages = 3000;
  CreditSettings common = settings(2, 0, 8, 30);
  common.epoch_requests = 64;
  Credits zero(common);
  common.self = 1;
  Credits one(common);
  std::mutex mutex;
  std::deque<CreditByte> requests;
  std::atomic<unsigned> served{0};
  const auto serve = [&] {
    CreditByte byte;
    {
      const std::lock_guard guard(mutex);
      if (requests.empty()) return;
      byte = requests.front();
      requests.pop_front();
    }
    Credits::Revocations revocations;
    zero.on_reply(1, one.on_request(0, byte, &revocations));
    for (unsigned i = 0; i < revocations.count; ++i) {
      one.on_return(0, zero.on_revoke(1, revocations.epoch_ended[i]));
    }
    served.fetch_add(1);
  };
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (unsigned i = 0; i < kMessages; ++i) {
        CreditByte byte;
        while (!zero.try_acquire(1, 1 + (i + thread) % 8, &byte)) serve();
        const std::lock_guard guard(mutex);
        requests.push_back(byte);
      }
      while (served.load() < kThreads * kMessages) serve();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(zero.in_use(1), 0u);
  EXPECT_EQ(zero.held(1), one.loaned(0));
  EXPECT_EQ(one.loaned(0) + one.banked(), one.total());
}

TEST(CreditPlan, FollowsTheTableBetweenItsPoints) {
  CreditPlanInput input;
  input.ranks = 4096;
  EXPECT_EQ(plan_credits(input).settings.per_peer, 8);
  input.ranks = 1536;
  EXPECT_EQ(plan_credits(input).settings.per_peer, 24) << "half-way between 32 and 16";
  input.ranks = 100000;
  EXPECT_EQ(plan_credits(input).settings.per_peer, 8);
  input.chunk_bytes = 1024;
  EXPECT_EQ(plan_credits(input).settings.per_peer, 4);
  EXPECT_EQ(plan_credits(input).settings.least, 4);
}

TEST(CreditPlan, BuffersHoldAllThatIsPromisedAndNothingIsWasted) {
  for (const RankId ranks : {1u, 2u, 3u, 64u, 1000u, 4096u, 16384u}) {
    CreditPlanInput input;
    input.ranks = ranks;
    const CreditPlan plan = plan_credits(input);
    const std::size_t usable = (input.chunks_per_buffer - 1) * input.chunk_bytes;
    const std::uint64_t promised = std::uint64_t{plan.settings.per_peer} * (ranks - 1) + plan.settings.banked;
    EXPECT_EQ(promised * kCreditBytes, (plan.buffers - input.spare_buffers) * usable) << ranks;
    EXPECT_EQ(promised, plan.events);
  }
}

TEST(CreditPlan, NeverGivesLessThanTheLargestMessageNeeds) {
  CreditPlanInput input;
  input.ranks = 10;
  input.per_peer = 1;
  input.banked = 0;
  EXPECT_EQ(plan_credits(input).settings.per_peer, 8);
}

}  // namespace
}  // namespace aqueduct::parts
