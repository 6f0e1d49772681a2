// Tokens, chunks and names: small parts that conduits share.
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "papers/parts/memory/chunk_pool.hpp"
#include "papers/parts/send_tokens.hpp"
#include "parts/operation_names.hpp"

namespace aqueduct::parts {
namespace {

TEST(SendTokens, AreTakenAllOrNone) {
  SendTokens tokens(3);
  EXPECT_TRUE(tokens.try_take(2));
  EXPECT_FALSE(tokens.try_take(2));
  EXPECT_TRUE(tokens.try_take());
  EXPECT_EQ(tokens.free(), 0u);
  tokens.give_back(2);
  EXPECT_TRUE(tokens.try_take(2));
}

TEST(ChunkPool, ChunksDoNotOverlapAndComeBack) {
  ChunkPool pool(4, 512);
  std::set<ChunkPool::Offset> taken;
  for (int i = 0; i < 4; ++i) taken.insert(pool.take());
  EXPECT_EQ(taken, (std::set<ChunkPool::Offset>{0, 512, 1024, 1536}));
  EXPECT_EQ(pool.take(), ChunkPool::kNone);
  pool.give_back(1024);
  EXPECT_EQ(pool.free_chunks(), 1u);
  EXPECT_EQ(pool.take(), 1024u);
  EXPECT_EQ(pool.at(512), pool.memory() + 512);
}

TEST(OperationNames, AStaleOrInventedNameLeadsNowhere) {
  OperationNames<int> names;
  std::uint32_t first, second;
  names.create(&first) = 11;
  names.create(&second) = 22;
  EXPECT_NE(first, 0u);
  ASSERT_NE(names.find(first), nullptr);
  EXPECT_EQ(*names.find(first), 11);
  EXPECT_TRUE(names.retire(first));
  EXPECT_EQ(names.find(first), nullptr);
  EXPECT_FALSE(names.retire(first));
  std::uint32_t reused;
  names.create(&reused) = 33;
  EXPECT_NE(reused, first) << "the same place under another name";
  EXPECT_EQ(names.find(first), nullptr);
  EXPECT_EQ(names.find(0), nullptr);
  EXPECT_EQ(names.find(0xffffffff), nullptr);
  EXPECT_EQ(*names.find(second), 22);
  EXPECT_EQ(names.in_use(), 2u);
}

TEST(OperationNames, RecordsStayWhereTheyAreWhileOthersCome) {
  OperationNames<std::uint64_t> names;
  std::vector<std::pair<std::uint32_t, std::uint64_t*>> all;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::uint32_t name;
    std::uint64_t& record = names.create(&name);
    record = i;
    all.push_back({name, &record});
  }
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(names.find(all[i].first), all[i].second);
    ASSERT_EQ(*all[i].second, i);
  }
}

TEST(Parts, ThreadsMayShareThem) {
  SendTokens tokens(5);
  ChunkPool pool(4, 64);
  OperationNames<unsigned> names;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 1; thread <= 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 3000; ++i) {
        if (!tokens.try_take(2)) continue;
        const ChunkPool::Offset chunk = pool.take();
        std::uint32_t name;
        names.create(&name) = thread;
        if (chunk != ChunkPool::kNone) {
          auto* word = reinterpret_cast<unsigned*>(pool.at(chunk));
          *word = thread;
          if (*word != thread) wrong.fetch_add(1);
          pool.give_back(chunk);
        }
        if (*names.find(name) != thread) wrong.fetch_add(1);
        names.retire(name);
        tokens.give_back(2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(tokens.free(), 5u);
  EXPECT_EQ(pool.free_chunks(), 4u);
  EXPECT_EQ(names.in_use(), 0u);
}

}  // namespace
}  // namespace aqueduct::parts
