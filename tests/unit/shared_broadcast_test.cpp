// Broadcasts through shared memory, with a thread for each member: everybody gets the root's data, whether it
// is read in place or in pieces, and nothing is overwritten that somebody still reads.
#include "extended/collectives/shared_broadcast.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <thread>

namespace aqueduct::extended::collectives {
namespace {

constexpr std::size_t kPiece = SharedBroadcast::kPieceBytes;
constexpr std::size_t kMost = (SharedBroadcast::kSlots + 2) * kPiece;

// Members that share one address space: the segment of each is what its owner says.
class Segments final : public SharedSegments {
 public:
  Segments(const std::vector<std::vector<std::byte>>& all, gex_Rank_t me) : all_(all), me_(me) {}
  std::size_t offset_of(const void* address, std::size_t bytes) const override {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - all_[me_].data());
    return offset < all_[me_].size() && bytes <= all_[me_].size() - offset ? offset : kNowhere;
  }
  const std::byte* find(gex_Rank_t member, std::size_t offset, std::size_t bytes) const override {
    if (offset > all_[member].size() || bytes > all_[member].size() - offset) return nullptr;
    return all_[member].data() + offset;
  }

 private:
  const std::vector<std::vector<std::byte>>& all_;
  gex_Rank_t me_;
};

class Team {
 public:
  explicit Team(gex_Rank_t size)
      : lines_(size), bells_(size), slots_(size), segments_(size, std::vector<std::byte>(kMost)) {
    register_for_heavy_fences();
    std::vector<SharedBroadcast::Member> members;
    for (gex_Rank_t member = 0; member < size; ++member) {
      slots_[member].resize(SharedBroadcast::kSlots * kPiece);
      members.push_back({&lines_[member], slots_[member].data(), &bells_[member]});
    }
    for (gex_Rank_t me = 0; me < size; ++me) {
      views_.push_back(std::make_unique<Segments>(segments_, me));
      broadcasts_.push_back(std::make_unique<SharedBroadcast>(members, me, *views_[me]));
    }
  }

  SharedBroadcast& operator[](gex_Rank_t member) { return *broadcasts_[member]; }
  Doorbell& bell(gex_Rank_t member) { return bells_[member]; }
  std::byte* segment(gex_Rank_t member) { return segments_[member].data(); }

 private:
  std::vector<SharedBroadcast::Lines> lines_;
  std::vector<Doorbell> bells_;
  std::vector<std::vector<std::byte>> slots_;
  std::vector<std::vector<std::byte>> segments_;
  std::vector<std::unique_ptr<Segments>> views_;
  std::vector<std::unique_ptr<SharedBroadcast>> broadcasts_;
};

Request request(gex_Rank_t root, void* dst, const void* src, std::size_t bytes) {
  Request wanted;
  wanted.root = root;
  wanted.dst = dst;
  wanted.src = src;
  wanted.bytes = bytes;
  return wanted;
}

std::byte pattern(std::uint64_t round, std::size_t i) {
  return static_cast<std::byte>(round * 131 + i * 7 + i / 251);
}

// Some bytes of it: under ThreadSanitizer all of them would take long.
std::vector<std::size_t> samples(std::size_t bytes) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < bytes; i += 509) chosen.push_back(i);
  if (bytes != 0) chosen.push_back(bytes - 1);
  return chosen;
}

class SharedBroadcasts : public ::testing::TestWithParam<gex_Rank_t> {};

TEST_P(SharedBroadcasts, RandomSequencesBringEverybodyTheRootsData) {
  const gex_Rank_t size = GetParam();
  Team team(size);
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::jthread> threads;
  for (gex_Rank_t me = 0; me < size; ++me) {
    threads.emplace_back([&, me] {
      std::mt19937 random(size);  // the same for all members
      std::vector<std::byte> to(kMost), from(kMost);
      for (std::uint64_t round = 1; round <= 240 / size; ++round) {
        const std::size_t sizes[] = {0, 1, 4096, kPiece - 1, kPiece, kPiece + 1, kMost - 3, kMost};
        const std::size_t bytes = sizes[random() % std::size(sizes)];
        const auto root = static_cast<gex_Rank_t>(random() % size);
        const bool in_place = random() % 2 == 0;
        Request mine = request(root, to.data(),
                               me != root ? nullptr
                               : in_place ? team.segment(me)
                                          : from.data(),
                               bytes);
        mine.enter_together = random() % 4 == 0;
        mine.leave_together = random() % 4 == 0;
        if (me == root) {
          auto* const source = static_cast<std::byte*>(const_cast<void*>(mine.src));
          for (const std::size_t i : samples(bytes)) source[i] = pattern(round, i);
        }
        const std::uint64_t number = team[me].start(mine);
        while (!team[me].passed(number)) std::this_thread::yield();
        for (const std::size_t i : samples(bytes)) wrong += to[i] != pattern(round, i);
        // What was sent belongs to the root again.
        if (me == root && bytes != 0) const_cast<std::byte*>(static_cast<const std::byte*>(mine.src))[0] = {};
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Of, SharedBroadcasts, ::testing::Values(2, 3, 8));

TEST(SharedBroadcast, ARootRunsAheadAsFarAsThereAreSlots) {
  Team team(2);
  std::vector<std::byte> data(100), got(100);
  for (std::uint32_t i = 1; i <= SharedBroadcast::kSlots; ++i) {
    data[0] = static_cast<std::byte>(i);
    EXPECT_TRUE(team[0].passed(team[0].start(request(0, data.data(), data.data(), data.size()))));
  }
  const std::uint64_t one_more = team[0].start(request(0, data.data(), data.data(), data.size()));
  EXPECT_FALSE(team[0].passed(one_more)) << "the slot is still to be read";
  for (std::uint32_t i = 1; i <= SharedBroadcast::kSlots; ++i) {
    EXPECT_TRUE(team[1].passed(team[1].start(request(0, got.data(), nullptr, got.size()))));
    EXPECT_EQ(got[0], static_cast<std::byte>(i));
  }
  EXPECT_TRUE(team[0].passed(one_more));
}

TEST(SharedBroadcast, ARootWhoseDataIsReadInPlaceWaitsForAllReaders) {
  Team team(3);
  std::byte got[100];
  const std::uint64_t sent = team[0].start(request(0, team.segment(0), team.segment(0), sizeof got));
  team[1].start(request(0, got, nullptr, sizeof got));
  EXPECT_FALSE(team[0].passed(sent));
  team[2].start(request(0, got, nullptr, sizeof got));
  EXPECT_TRUE(team[0].passed(sent));
}

TEST(SharedBroadcast, NothingMovesBeforeAllHaveEnteredIfSoAsked) {
  Team team(3);
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

TEST(SharedBroadcast, NobodyLeavesBeforeAllHaveTheirDataIfSoAsked) {
  Team team(3);
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

TEST(SharedBroadcast, ReadersAndTheRootAreWoken) {
  Team team(3);
  std::byte got[100];
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

TEST(SharedBroadcast, SeveralMayBeStartedBeforeAnyIsOver) {
  constexpr int kMany = 20;
  Team team(2);
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
