// Small collectives on a board, with a thread for each member.
#include "extended/collectives/board.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>

namespace aqueduct::extended::collectives {
namespace {

void add(const void* left, void* right, std::size_t count, const void*) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<std::uint64_t*>(right)[i] += static_cast<const std::uint64_t*>(left)[i];
}

constexpr BoardShape kShape{8, 1024 - 16, 16, 1024};

class BoardTeam {
 public:
  explicit BoardTeam(gex_Rank_t size) : cells_(size), bells_(size) {
    register_for_heavy_fences();
    std::vector<Board::Member> members;
    for (gex_Rank_t member = 0; member < size; ++member)
      members.push_back({reinterpret_cast<std::byte*>(cells_[member].lines), &bells_[member]});
    for (gex_Rank_t me = 0; me < size; ++me) boards_.push_back(std::make_unique<Board>(kShape, members, me));
  }
  Board& operator[](gex_Rank_t member) { return *boards_[member]; }
  Doorbell& bell(gex_Rank_t member) { return bells_[member]; }

 private:
  struct alignas(kCacheLine) Cells {
    std::byte lines[8 * 1024] = {};
  };
  std::vector<Cells> cells_;
  std::vector<Doorbell> bells_;
  std::vector<std::unique_ptr<Board>> boards_;
};

Request request(Kind kind, gex_Rank_t root, std::uint64_t* dst, const std::uint64_t* src, std::size_t count) {
  Request wanted;
  wanted.kind = kind;
  wanted.root = root;
  wanted.dst = dst;
  wanted.src = src;
  wanted.bytes = count * 8;
  wanted.count = count;
  wanted.combiner = {add, nullptr, 8, true};
  return wanted;
}

TEST(Board, RandomSequencesAgreeWithAModel) {
  for (const gex_Rank_t size : {2u, 3u, 7u}) {
    BoardTeam team(size);
    std::atomic<std::uint64_t> wrong{0};
    std::vector<std::jthread> threads;
    for (gex_Rank_t me = 0; me < size; ++me) {
      threads.emplace_back([&, me] {
        std::mt19937 random(size);  // the same for all members
        for (std::uint64_t round = 1; round <= 3000 / size; ++round) {
          const auto kind = static_cast<Kind>(random() % 3);
          const auto root = static_cast<gex_Rank_t>(random() % size);
          const std::size_t count = 1 + random() % 20;
          std::vector<std::uint64_t> from(count, round * (me + 1)), to(count, 0);
          const std::uint64_t number = team[me].start(request(kind, root, to.data(), from.data(), count));
          while (!team[me].passed(number)) std::this_thread::yield();
          if (kind == Kind::kReduceToOne && me != root) continue;
          const std::uint64_t expected =
              kind == Kind::kBroadcast ? round * (root + 1) : round * size * (size + 1) / 2;
          for (const std::uint64_t value : to) wrong += value != expected;
        }
      });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0u) << size << " members";
  }
}

TEST(Board, WhoeverWritesRingsForEverybodyWhoSleeps) {
  constexpr gex_Rank_t kSize = 3;
  BoardTeam team(kSize);
  std::uint64_t data = 1, result[kSize];
  for (gex_Rank_t last = 0; last < kSize; ++last) {
    for (gex_Rank_t sleeper = 0; sleeper < kSize; ++sleeper) {
      if (sleeper == last) continue;
      std::uint64_t number = 0;
      for (gex_Rank_t me = 0; me < kSize; ++me) {
        if (me != last) number = team[me].start(request(Kind::kReduceToAll, 0, &result[me], &data, 1));
      }
      const std::uint32_t seen = team.bell(sleeper).announce();
      team[last].start(request(Kind::kReduceToAll, 0, &result[last], &data, 1));
      ASSERT_TRUE(team.bell(sleeper).sleep(seen, 1)) << "no ring for " << sleeper << " from " << last;
      for (gex_Rank_t me = 0; me < kSize; ++me) ASSERT_TRUE(team[me].passed(number));
    }
  }
}

}  // namespace
}  // namespace aqueduct::extended::collectives
