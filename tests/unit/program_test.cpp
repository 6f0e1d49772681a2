// The programs of collectives, planned for all members and executed one step at a time, without messages:
// everybody ends with the right blocks, and nothing is sent that nobody needs.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <utility>

#include "extended/collectives/plan.hpp"

namespace aqueduct::extended::collectives {
namespace {

struct Member {
  std::vector<std::byte> from, to;
  Program program;
  std::size_t step = 0;
  std::size_t received = 0;  // bytes
};

std::byte content(gex_Rank_t owner, std::size_t i) {
  return static_cast<std::byte>(owner * 37 + i * 11 + i / 256);
}

class ProgramTeam {
 public:
  ProgramTeam(Kind kind, gex_Rank_t size, gex_Rank_t root, std::size_t block) : members_(size) {
    for (gex_Rank_t me = 0; me < size; ++me) {
      Member& member = members_[me];
      member.from.resize(size * block);
      member.to.assign(size * block, std::byte{0xee});
      for (std::size_t i = 0; i < member.from.size(); ++i) member.from[i] = content(me, i);
      Request request;
      request.kind = kind;
      request.root = root;
      request.src = member.from.data();
      request.dst = member.to.data();
      request.bytes = block;
      Layout layout({}, size, me);
      Edges edges;
      plan(member.program, layout, edges, request);
    }
    while (take_steps()) {
    }
  }

  bool is_over() const {
    for (const Member& member : members_) {
      if (member.step != const_cast<Program&>(member.program).steps().size()) return false;
    }
    return sent_.empty();
  }
  const Member& operator[](gex_Rank_t member) const { return members_[member]; }

 private:
  using Address = std::pair<gex_Rank_t, Tag>;

  bool take_steps() {
    bool moved = false;
    for (gex_Rank_t me = 0; me < members_.size(); ++me) {
      Member& member = members_[me];
      while (member.step < member.program.steps().size() && take(me, member.program.steps()[member.step])) {
        ++member.step;
        moved = true;
      }
    }
    return moved;
  }

  bool take(gex_Rank_t me, const Step& step) {
    Member& member = members_[me];
    if (step.action == Step::kCopy) {
      std::memcpy(step.to, step.from, step.amount);
    } else if (step.action == Step::kSend) {
      const Sending& sending = member.program.sendings()[step.index];
      const auto [place, is_new] = sent_.emplace(Address{sending.to, sending.tag},
                                                 std::vector(sending.from, sending.from + sending.bytes));
      EXPECT_TRUE(is_new) << "two messages with one tag to member " << sending.to;
    } else {
      const Reception& reception = member.program.receptions()[step.index];
      const auto found = sent_.find({me, reception.tag});
      if (found == sent_.end()) return false;
      EXPECT_EQ(found->second.size(), reception.bytes);
      std::memcpy(reception.to, found->second.data(), std::min(found->second.size(), reception.bytes));
      member.received += reception.bytes;
      sent_.erase(found);
    }
    return true;
  }

  std::vector<Member> members_;
  std::map<Address, std::vector<std::byte>> sent_;
};

// `owner`'s block number `number` is block number `place` of what this member got.
void expect_block(const Member& member, std::size_t place, gex_Rank_t owner, std::size_t number,
                  std::size_t block) {
  for (std::size_t i = 0; i < block; ++i)
    ASSERT_EQ(member.to[place * block + i], content(owner, number * block + i))
        << "byte " << i << " of block " << place;
}

class Programs : public ::testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t block_ = GetParam();
  template <class Check>
  void for_all_sizes(Kind kind, const Check& check) {
    for (gex_Rank_t size = 1; size <= 17; ++size) {
      for (gex_Rank_t root = 0; root < size; root += size < 4 ? 1 : size / 3) {
        SCOPED_TRACE(::testing::Message() << size << " members, root " << root << ", blocks of " << block_);
        const ProgramTeam team(kind, size, root, block_);
        ASSERT_TRUE(team.is_over());
        for (gex_Rank_t me = 0; me < size; ++me) check(team[me], size, root, me);
      }
    }
  }
};

TEST_P(Programs, GatherToAllBringsEveryBlockToEverybodyOnce) {
  for_all_sizes(Kind::kGatherAll, [&](const Member& member, gex_Rank_t size, gex_Rank_t, gex_Rank_t) {
    for (gex_Rank_t owner = 0; owner < size; ++owner) expect_block(member, owner, owner, 0, block_);
    EXPECT_EQ(member.received, (size - 1) * block_) << "more than the blocks of the others";
  });
}

TEST_P(Programs, ExchangeBringsEveryBlockToItsPlaceOnce) {
  for_all_sizes(Kind::kExchange, [&](const Member& member, gex_Rank_t size, gex_Rank_t, gex_Rank_t me) {
    for (gex_Rank_t owner = 0; owner < size; ++owner) expect_block(member, owner, owner, me, block_);
    EXPECT_EQ(member.received, (size - 1) * block_);
  });
}

TEST_P(Programs, ScatterBringsEachItsBlock) {
  for_all_sizes(Kind::kScatter, [&](const Member& member, gex_Rank_t, gex_Rank_t root, gex_Rank_t me) {
    expect_block(member, 0, root, me, block_);
  });
}

TEST_P(Programs, GatherBringsAllBlocksToTheRootOnce) {
  for_all_sizes(Kind::kGather, [&](const Member& member, gex_Rank_t size, gex_Rank_t root, gex_Rank_t me) {
    if (me != root) return;
    for (gex_Rank_t owner = 0; owner < size; ++owner) expect_block(member, owner, owner, 0, block_);
    EXPECT_EQ(member.received, (size - 1) * block_);
  });
}

TEST_P(Programs, BroadcastBringsTheRootsBlockToEverybodyOnce) {
  for_all_sizes(Kind::kBroadcast, [&](const Member& member, gex_Rank_t, gex_Rank_t root, gex_Rank_t me) {
    expect_block(member, 0, root, 0, block_);
    EXPECT_EQ(member.received, me == root ? 0 : block_);
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Programs, ::testing::Values(1, 100, 1024, 1025));

TEST(Program, BroadcastInPiecesBringsAllOfThem) {
  constexpr std::size_t kBlock = 70'000;
  for (const gex_Rank_t size : {5u, 11u}) {  // along a chain, down a tree
    const ProgramTeam team(Kind::kBroadcast, size, 2, kBlock);
    ASSERT_TRUE(team.is_over());
    for (gex_Rank_t me = 0; me < size; ++me) {
      expect_block(team[me], 0, 2, 0, kBlock);
      EXPECT_EQ(team[me].received, me == 2 ? 0 : kBlock);
    }
  }
}

std::vector<gex_Rank_t> listed(const Ranks& ranks) {
  std::vector<gex_Rank_t> all{ranks.me()};
  for (gex_Rank_t place = 0; place < ranks.size(); ++place) all.push_back(ranks[place]);
  return all;
}

TEST(Layout, OfHostsWithAsManyConsecutiveMembersIsTheSameByArithmeticAsByList) {
  for (gex_Rank_t size = 2; size < 20; ++size) {
    for (RankId per_host = 1; per_host <= size; ++per_host) {
      Hosts list;
      for (gex_Rank_t rank = 0; rank < size; ++rank) list.listed.push_back(7 + rank / per_host);
      for (gex_Rank_t me = 0; me < size; ++me) {
        const Layout computed({per_host}, size, me), kept(list, size, me);
        ASSERT_EQ(computed.grouped(), kept.grouped()) << size << " members, " << per_host << " to a host";
        if (!kept.grouped()) continue;
        EXPECT_TRUE(computed.in_order() && kept.in_order());
        EXPECT_EQ(listed(computed.group()), listed(kept.group()));
        EXPECT_EQ(listed(computed.leaders()), listed(kept.leaders()));
        for (gex_Rank_t rank = 0; rank < size; ++rank) {
          EXPECT_EQ(computed.group_of(rank), kept.group_of(rank));
          EXPECT_EQ(listed(computed.leaders(rank)), listed(kept.leaders(rank)));
          if (kept.in_my_group(rank)) {
            EXPECT_EQ(computed.place_in_group(rank), kept.place_in_group(rank));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace aqueduct::extended::collectives
