// Larger collectives through shared memory, with a thread for each member: everybody gets what it should,
// whether it is read in place or in pieces, and nothing is overwritten that somebody still reads.
#include "extended/collectives/shared_blocks.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <thread>

namespace aqueduct::extended::collectives {
namespace {

constexpr std::size_t kPiece = SharedBlocks::kPieceBytes;
constexpr std::size_t kMost = (SharedBlocks::kSlots + 2) * kPiece;  // of one source or result
constexpr std::size_t kInFlight = 3;

// Members that share one address space: the segment of each is what its owner says.
class Segments final : public SharedSegments {
 public:
  Segments(std::vector<std::vector<std::byte>>& all, gex_Rank_t me) : all_(all), me_(me) {}
  std::size_t offset_of(const void* address, std::size_t bytes) const override {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - all_[me_].data());
    return offset < all_[me_].size() && bytes <= all_[me_].size() - offset ? offset : kNowhere;
  }
  std::byte* find(gex_Rank_t member, std::size_t offset, std::size_t bytes) const override {
    if (offset > all_[member].size() || bytes > all_[member].size() - offset) return nullptr;
    return all_[member].data() + offset;
  }

 private:
  std::vector<std::vector<std::byte>>& all_;
  gex_Rank_t me_;
};

class BlocksTeam {
 public:
  explicit BlocksTeam(gex_Rank_t size)
      : lines_(size),
        bells_(size),
        slots_(size),
        segments_(size, std::vector<std::byte>(2 * kInFlight * kMost)) {
    register_for_heavy_fences();
    std::vector<SharedBlocks::Member> members;
    for (gex_Rank_t member = 0; member < size; ++member) {
      slots_[member].resize(SharedBlocks::kSlots * kPiece);
      members.push_back({&lines_[member], slots_[member].data(), &bells_[member]});
    }
    for (gex_Rank_t me = 0; me < size; ++me) {
      views_.push_back(std::make_unique<Segments>(segments_, me));
      blocks_.push_back(std::make_unique<SharedBlocks>(members, me, *views_[me]));
    }
  }

  SharedBlocks& operator[](gex_Rank_t member) { return *blocks_[member]; }
  Doorbell& bell(gex_Rank_t member) { return bells_[member]; }
  std::byte* segment(gex_Rank_t member) { return segments_[member].data(); }
  const std::vector<std::byte>& slots(gex_Rank_t member) const { return slots_[member]; }

 private:
  std::vector<SharedBlocks::Lines> lines_;
  std::vector<Doorbell> bells_;
  std::vector<std::vector<std::byte>> slots_;
  std::vector<std::vector<std::byte>> segments_;
  std::vector<std::unique_ptr<Segments>> views_;
  std::vector<std::unique_ptr<SharedBlocks>> blocks_;
};

Request request(gex_Rank_t root, void* dst, const void* src, std::size_t bytes) {
  Request wanted;
  wanted.root = root;
  wanted.dst = dst;
  wanted.src = src;
  wanted.bytes = bytes;
  return wanted;
}

// Word i of what a member brings to a round.
std::uint64_t word(std::uint64_t round, gex_Rank_t member, std::size_t i) {
  return ((round * 131 + member) * 1'000'003 + i) * 0x9e3779b97f4a7c15;
}
// Some words of it: under ThreadSanitizer all of them would take long.
std::vector<std::size_t> samples(std::size_t words) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < words; i += 61) chosen.push_back(i);
  if (words != 0) chosen.push_back(words - 1);
  return chosen;
}

// One linear function after the other: associative, and with an order.
void join(const void* left, void* right, std::size_t count, const void*) {
  const auto* a = static_cast<const std::uint64_t*>(left);
  auto* b = static_cast<std::uint64_t*>(right);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t multiply = (a[i] >> 32) * (b[i] >> 32);
    const std::uint64_t add = (a[i] >> 32) * (b[i] & 0xffffffff) + (a[i] & 0xffffffff);
    b[i] = multiply << 32 | (add & 0xffffffff);
  }
}

struct Model {
  Kind kind;
  gex_Rank_t size, root;
  std::uint64_t round;
  std::size_t words;  // of a block

  std::size_t source_words() const {
    return kind == Kind::kScatter || kind == Kind::kExchange ? size * words : words;
  }
  std::size_t result_words() const {
    return kind == Kind::kGather || kind == Kind::kGatherAll || kind == Kind::kExchange ? size * words
                                                                                        : words;
  }
  bool wants(gex_Rank_t me) const {
    return (kind != Kind::kGather && kind != Kind::kReduceToOne) || me == root;
  }
  std::uint64_t wanted(gex_Rank_t me, std::size_t i) const {
    switch (kind) {
      case Kind::kBroadcast:
        return word(round, root, i);
      case Kind::kScatter:
        return word(round, root, me * words + i);
      case Kind::kExchange:
        return word(round, static_cast<gex_Rank_t>(i / words), me * words + i % words);
      case Kind::kGather:
      case Kind::kGatherAll:
        return word(round, static_cast<gex_Rank_t>(i / words), i % words);
      default:
        break;
    }
    std::uint64_t result = word(round, size - 1, i);
    for (gex_Rank_t member = size - 1; member-- > 0;) {
      const std::uint64_t left = word(round, member, i);
      join(&left, &result, 1, nullptr);
    }
    return result;
  }
};

class SharedBlocksOf : public ::testing::TestWithParam<gex_Rank_t> {};

// Sources in segments and elsewhere, on each member as it likes, several collectives in flight, with source
// and destination of reductions in one place or not.
TEST_P(SharedBlocksOf, RandomSequencesBringEverybodyWhatItShouldGet) {
  const gex_Rank_t size = GetParam();
  const std::size_t most = kMost / 8 / size * size;  // words
  BlocksTeam team(size);
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::jthread> threads;
  for (gex_Rank_t me = 0; me < size; ++me) {
    threads.emplace_back([&, me] {
      std::mt19937 random(size);  // the same for all members
      std::mt19937 own(me);
      struct Flying {
        Model model;
        std::uint64_t number;
        std::uint64_t* result;
      };
      std::vector<std::vector<std::uint64_t>> to(kInFlight, std::vector<std::uint64_t>(most));
      std::vector<std::vector<std::uint64_t>> from = to;
      std::vector<Flying> flying;
      std::size_t started = 0;
      const auto land = [&] {
        const Flying one = flying.front();
        flying.erase(flying.begin());
        while (!team[me].passed(one.number)) std::this_thread::yield();
        if (!one.model.wants(me)) return;
        for (const std::size_t i : samples(one.model.result_words()))
          wrong += one.result[i] != one.model.wanted(me, i);
      };
      for (std::uint64_t round = 1; round <= 600 / size; ++round) {
        const Kind kind = static_cast<Kind>(random() % 7);
        const std::size_t sizes[] = {0,        1,    100, kPiece / 8 - 1, kPiece / 8, kPiece / 8 + 1,
                                     most - 1, most, most};
        Model model{kind, size, static_cast<gex_Rank_t>(random() % size), round,
                    sizes[random() % std::size(sizes)]};
        model.words = std::min(
            model.words,
            most / (model.source_words() == model.words && model.result_words() == model.words ? 1 : size));
        Request mine = request(model.root, nullptr, nullptr, model.words * 8);
        mine.kind = kind;
        mine.combiner = {join, nullptr, 8, false};
        mine.count = model.words;
        if (mine.is_reduction() && model.words == 0) continue;
        if (!mine.is_reduction()) {
          mine.enter_together = random() % 4 == 0;
          mine.leave_together = random() % 4 == 0;
        }
        while (flying.size() == kInFlight) land();
        const std::size_t slot = started++ % kInFlight;
        auto* const segment = reinterpret_cast<std::uint64_t*>(team.segment(me)) + 2 * slot * most;
        std::uint64_t* const source = own() % 2 == 0 ? segment : from[slot].data();
        std::uint64_t* result = own() % 2 == 0 ? segment + most : to[slot].data();
        if (mine.is_reduction() && own() % 3 == 0) result = source;
        if (mine.reads(me)) {
          for (std::size_t i = 0; i < model.source_words(); ++i) source[i] = word(round, me, i);
          mine.src = source;
        }
        if (mine.writes(me)) mine.dst = result;
        flying.push_back({model, team[me].start(mine), result});
        if (own() % 2 == 0) land();
      }
      while (!flying.empty()) land();
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Teams, SharedBlocksOf, ::testing::Values(2, 3, 4, 7, 8, 16));

TEST(SharedBlocks, ARootRunsAheadAsFarAsThereAreSlots) {
  BlocksTeam team(2);
  std::vector<std::byte> data(100), got(100);
  for (std::uint32_t i = 1; i <= SharedBlocks::kSlots; ++i) {
    data[0] = static_cast<std::byte>(i);
    EXPECT_TRUE(team[0].passed(team[0].start(request(0, data.data(), data.data(), data.size()))));
  }
  const std::uint64_t one_more = team[0].start(request(0, data.data(), data.data(), data.size()));
  EXPECT_FALSE(team[0].passed(one_more)) << "the slot is still to be read";
  for (std::uint32_t i = 1; i <= SharedBlocks::kSlots; ++i) {
    EXPECT_TRUE(team[1].passed(team[1].start(request(0, got.data(), nullptr, got.size()))));
    EXPECT_EQ(got[0], static_cast<std::byte>(i));
  }
  EXPECT_TRUE(team[0].passed(one_more));
}

TEST(SharedBlocks, ARootWhoseDataIsReadInPlaceWaitsForAllReaders) {
  BlocksTeam team(3);
  std::byte got[BlockPattern::kMostCopied + 1];
  const std::uint64_t sent = team[0].start(request(0, team.segment(0), team.segment(0), sizeof got));
  team[1].start(request(0, got, nullptr, sizeof got));
  EXPECT_FALSE(team[0].passed(sent));
  team[2].start(request(0, got, nullptr, sizeof got));
  EXPECT_TRUE(team[0].passed(sent));
}

TEST(SharedBlocks, NothingMovesBeforeAllHaveEnteredIfSoAsked) {
  BlocksTeam team(3);
  std::byte data[64]{}, got[64]{};
  Request wanted = request(0, data, data, sizeof data);
  wanted.enter_together = true;
  const std::uint64_t number = team[0].start(wanted);
  wanted.dst = got;
  team[1].start(wanted);
  data[5] = std::byte{9};  // the root's data is not final before the last member enters
  EXPECT_FALSE(team[0].passed(number));
  EXPECT_FALSE(team[1].passed(number));
  team[2].start(wanted);
  EXPECT_TRUE(team[0].passed(number));
  EXPECT_TRUE(team[1].passed(number));
  EXPECT_EQ(got[5], std::byte{9});
}

TEST(SharedBlocks, NobodyLeavesBeforeAllHaveTheirDataIfSoAsked) {
  BlocksTeam team(3);
  std::byte data[64]{}, got[64]{};
  Request wanted = request(0, data, data, sizeof data);
  wanted.leave_together = true;
  const std::uint64_t number = team[0].start(wanted);
  wanted.dst = got;
  team[1].start(wanted);
  EXPECT_FALSE(team[0].passed(number));
  EXPECT_FALSE(team[1].passed(number));
  EXPECT_TRUE(team[2].passed(team[2].start(wanted)));
  EXPECT_TRUE(team[0].passed(number));
  EXPECT_TRUE(team[1].passed(number));
}

// Also what a member has for itself, which it copies while others have something to do.
TEST(SharedBlocks, WhenOneLeavesAllDataIsInPlaceIfSoAsked) {
  constexpr gex_Rank_t kSize = 3;
  constexpr std::size_t kWords = (SharedBlocks::kSlots + 2) * kPiece / 8 / kSize;
  std::mt19937 random(1);
  for (std::uint64_t round = 1; round <= 40; ++round) {
    const Kind kinds[] = {Kind::kBroadcast, Kind::kScatter, Kind::kGather, Kind::kGatherAll, Kind::kExchange};
    const Model model{kinds[round % std::size(kinds)], kSize, static_cast<gex_Rank_t>(random() % kSize),
                      round, random() % 2 == 0 ? kWords : std::size_t{200}};
    BlocksTeam team(kSize);
    std::vector<std::vector<std::uint64_t>> outside(kSize, std::vector<std::uint64_t>(2 * kSize * kWords));
    std::uint64_t* results[kSize];
    std::uint64_t numbers[kSize] = {};
    const auto start = [&](gex_Rank_t me) {
      Request mine = request(model.root, nullptr, nullptr, model.words * 8);
      mine.kind = model.kind;
      mine.leave_together = true;
      const bool in_segment = random() % 2 == 0;
      auto* const source =
          in_segment ? reinterpret_cast<std::uint64_t*>(team.segment(me)) : outside[me].data();
      results[me] = source + kSize * kWords;
      if (mine.reads(me)) {
        for (std::size_t i = 0; i < model.source_words(); ++i) source[i] = word(round, me, i);
        mine.src = source;
      }
      if (mine.writes(me)) mine.dst = results[me];
      numbers[me] = team[me].start(mine);
    };
    for (;;) {
      const auto me = static_cast<gex_Rank_t>(random() % kSize);
      if (numbers[me] == 0) start(me);
      if (team[me].passed(numbers[me])) break;
    }
    std::uint64_t wrong = 0;
    for (gex_Rank_t member = 0; member < kSize; ++member) {
      ASSERT_NE(numbers[member], 0u);
      if (!model.wants(member)) continue;
      for (const std::size_t i : samples(model.result_words()))
        wrong += results[member][i] != model.wanted(member, i);
    }
    EXPECT_EQ(wrong, 0u) << "round " << round;
  }
}

TEST(SharedBlocks, OnlyWhatOthersReadIsCopiedToSlots) {
  constexpr std::size_t kBytes = 256;
  BlocksTeam team(2);
  std::vector<std::byte> data(2 * kBytes, std::byte{7}), got(kBytes);
  Request wanted = request(1, got.data(), data.data(), kBytes);
  wanted.kind = Kind::kScatter;
  EXPECT_TRUE(team[1].passed(team[1].start(wanted)));
  EXPECT_EQ(std::count(team.slots(1).begin(), team.slots(1).end(), std::byte{7}), std::ptrdiff_t{kBytes});
  EXPECT_EQ(got[kBytes - 1], std::byte{7});
}

TEST(SharedBlocks, ReadersAndTheRootAreWoken) {
  BlocksTeam team(3);
  std::byte got[BlockPattern::kMostCopied + 1];
  const std::uint64_t read = team[2].start(request(0, got, nullptr, sizeof got));
  std::uint32_t seen = team.bell(2).announce();
  const std::uint64_t sent = team[0].start(request(0, team.segment(0), team.segment(0), sizeof got));
  EXPECT_TRUE(team.bell(2).sleep(seen, 1)) << "the data is there";
  team[1].start(request(0, got, nullptr, sizeof got));
  seen = team.bell(0).announce();
  EXPECT_TRUE(team[2].passed(read));
  EXPECT_TRUE(team.bell(0).sleep(seen, 1)) << "the last reader is done";
  EXPECT_TRUE(team[0].passed(sent));
}

TEST(SharedBlocks, SeveralMayBeStartedBeforeAnyIsOver) {
  constexpr int kMany = 20;
  BlocksTeam team(2);
  std::vector<std::vector<std::byte>> sent(kMany, std::vector<std::byte>(kPiece + 5)), got = sent;
  std::uint64_t last[2] = {0, 0};
  for (int i = 0; i < kMany; ++i) {
    const auto root = static_cast<gex_Rank_t>(i % 3 == 0);
    sent[i].back() = static_cast<std::byte>(i + 1);
    for (const gex_Rank_t me : {0u, 1u}) {
      void* const to = me == root ? sent[i].data() : got[i].data();
      last[me] = team[me].start(request(root, to, sent[i].data(), sent[i].size()));
    }
  }
  while (!(team[0].passed(last[0]) & team[1].passed(last[1]))) {
  }
  for (int i = 0; i < kMany; ++i) EXPECT_EQ(got[i].back(), static_cast<std::byte>(i + 1));
}

}  // namespace
}  // namespace aqueduct::extended::collectives
