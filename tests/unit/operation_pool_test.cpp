// Operations are taken by one thread and given back by any; none is handed out twice.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "base/spin_lock.hpp"
#include "extended/operation.hpp"

namespace aqueduct::extended {
namespace {

TEST(OperationPool, HandsOutDistinctOperationsThatAreDone) {
  OperationPool pool;
  std::set<Operation*> taken;
  for (int i = 0; i < 1000; ++i) {
    Operation* operation = pool.take();
    EXPECT_TRUE(taken.insert(operation).second);
    EXPECT_TRUE(operation->done());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(operation) % kCacheLine, 0u);
  }
  for (Operation* operation : taken) OperationPool::give_back(operation);
  for (int i = 0; i < 1000; ++i) taken.insert(pool.take());
  EXPECT_LT(taken.size(), 1100u) << "memory is used again";
}

TEST(OperationPool, AnOperationIsDoneWhenAllItsPartsAre) {
  OperationPool pool;
  Operation* operation = pool.take();
  operation->count(OpKind::kPut) += 2;
  operation->count(OpKind::kGet) += 1;
  EXPECT_FALSE(operation->done());
  operation->count(OpKind::kPut) -= 2;
  EXPECT_FALSE(operation->done());
  operation->count(OpKind::kGet) -= 1;
  EXPECT_TRUE(operation->done());
}

TEST(OperationPool, IsGivenBackToByManyThreadsWhileItsOwnerTakes) {
  constexpr int kThreads = 3, kRounds = 8'000;
  OperationPool pool;
  std::array<std::atomic<Operation*>, kThreads> handed{};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      while (true) {
        if (Operation* operation = handed[t].exchange(nullptr, std::memory_order_acquire)) {
          EXPECT_EQ(operation->test_detail, 77u);
          operation->test_detail = 0;
          OperationPool::give_back(operation);
        } else if (stop.load(std::memory_order_acquire)) {
          return;
        } else {
          std::this_thread::yield();
        }
      }
    });
  for (int round = 0; round < kRounds;) {
    bool any = false;
    for (auto& slot : handed) {
      if (slot.load(std::memory_order_relaxed)) continue;
      Operation* operation = pool.take();
      ASSERT_EQ(operation->test_detail, 0u) << "this one is still in use";
      operation->test_detail = 77;
      slot.store(operation, std::memory_order_release);
      any = true;
      ++round;
    }
    if (!any) std::this_thread::yield();
  }
  stop.store(true, std::memory_order_release);
  for (auto& thread : threads) thread.join();
}

TEST(SpinLock, ExcludesThreadsFromEachOther) {
  SpinLock lock;
  std::uint64_t counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        lock.lock();
        ++counter;
        lock.unlock();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter, 20'000u);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
}

}  // namespace
}  // namespace aqueduct::extended
