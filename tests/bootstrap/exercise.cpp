#include "bootstrap/exercise.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <random>
#include <thread>
#include <vector>

namespace aqueduct::job::test {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 28;

/// What a rank contributes to a round: anybody can compute it.
std::vector<std::byte> contribution(std::uint64_t seed, unsigned round, RankId rank, std::size_t largest) {
  std::mt19937_64 random(seed * 1'000'003 + round * 1009 + rank);
  std::size_t bytes = 0;
  switch (random() % 4) {
    case 0:
      break;
    case 1:
      bytes = random() % 16;
      break;
    case 2:
      bytes = random() % 2000;
      break;
    case 3:
      bytes = (random() + rank) % 16 == 0 ? largest - random() % 100 : random() % 20000;
  }
  std::vector<std::byte> data(std::min(bytes, largest));
  std::uint64_t word = random();
  for (std::size_t i = 0; i < data.size(); i += sizeof word) {
    word = word * 6364136223846793005u + 1442695040888963407u;
    std::memcpy(&data[i], &word, std::min(sizeof word, data.size() - i));
  }
  return data;
}

bool same(Bytes bytes, const std::vector<std::byte>& expected) {
  return bytes.size() == expected.size() &&
         (bytes.empty() || std::memcmp(bytes.data(), expected.data(), bytes.size()) == 0);
}

}  // namespace

void exercise(Bootstrap& bootstrap, std::uint64_t seed, unsigned rounds, std::size_t largest) {
  std::mt19937_64 random(seed);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint64_t choice = random() % 5;
    const RankId root = static_cast<RankId>(random() % bootstrap.size());
    std::vector<std::byte> mine = contribution(seed, round, bootstrap.rank(), largest);
    if (choice <= 1) {
      bootstrap.begin_all_gather(mine);
      std::ranges::fill(mine, std::byte{0xee});  // it has been copied
      while (!bootstrap.advance()) bootstrap.sleep();
      const Gathered& all = bootstrap.gathered();
      ASSERT_EQ(all.size(), bootstrap.size());
      for (RankId peer = 0; peer < all.size(); ++peer)
        ASSERT_TRUE(same(all[peer], contribution(seed, round, peer, largest)))
            << "seed " << seed << " round " << round << ": rank " << bootstrap.rank()
            << " has not got what rank " << peer << " told";
    } else if (choice == 2) {
      ASSERT_TRUE(same(bootstrap.broadcast(root, mine), contribution(seed, round, root, largest)))
          << "seed " << seed << " round " << round << ": rank " << bootstrap.rank() << ", root " << root;
    } else if (choice == 3) {
      bootstrap.barrier();
    } else {
      RankId expected = 0;
      bootstrap.all_gather(bootstrap.rank() * 7, [&](RankId peer, RankId theirs) {
        ASSERT_EQ(peer, expected++);
        ASSERT_EQ(theirs, peer * 7);
      });
    }
  }
}

void run_threads(RankId ranks, const std::function<void(RankId)>& main) {
  std::vector<std::jthread> threads;
  for (RankId rank = 0; rank < ranks; ++rank) threads.emplace_back([&main, rank] { main(rank); });
}

void run_forks(RankId ranks, const std::function<void(RankId)>& main) {
  std::vector<pid_t> children;
  for (RankId rank = 0; rank < ranks; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) {
      main(rank);
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (RankId rank = 0; rank < ranks; ++rank) {
    int status = 0;
    ::waitpid(children[rank], &status, 0);
    EXPECT_EQ(status, 0) << "rank " << rank;
  }
}

ThreadRoom::~ThreadRoom() {
  for (const auto& [offset, memory] : parts_) ::munmap(memory, kPartBytes);
}

std::byte* ThreadRoom::map(std::size_t offset, std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  EXPECT_LE(bytes, kPartBytes);
  std::byte*& part = parts_[offset];
  if (!part) {
    part = static_cast<std::byte*>(::mmap(nullptr, kPartBytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  return part;
}

std::unique_ptr<SharedRoom> ThreadRoom::view() {
  struct View final : SharedRoom {
    explicit View(ThreadRoom& common) : room(common) {}
    std::byte* map(std::size_t offset, std::size_t bytes) override { return room.map(offset, bytes); }
    void unmap(std::byte*, std::size_t) override {}
    ThreadRoom& room;
  };
  return std::make_unique<View>(*this);
}

}  // namespace aqueduct::job::test
