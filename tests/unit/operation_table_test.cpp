// The operations of threads over a port; compiled with ThreadSanitizer as well.
#include "conduit/operation_table.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace aqueduct::conduit {
namespace {

PortOperation* begin(OperationTable& table, std::uint64_t awaits, unsigned holds) {
  PortOperation* const operation = table.take();
  if (!operation) return nullptr;
  operation->bytes = static_cast<std::size_t>(awaits) * 3;
  operation->holds.store(holds, std::memory_order_relaxed);
  operation->awaits.store(awaits, std::memory_order_release);
  return operation;
}

TEST(OperationTable, GivesAThreadSoManyOperationsUntilSomeAreReleased) {
  OperationTable table;
  std::set<std::uint32_t> numbers;
  std::vector<PortOperation*> all;
  while (PortOperation* const operation = begin(table, 1, 1)) {
    EXPECT_EQ(table.find(operation->number), operation);
    numbers.insert(operation->number);
    all.push_back(operation);
  }
  EXPECT_EQ(numbers.size(), OperationTable::kInShare);
  EXPECT_EQ(table.under_way(), OperationTable::kInShare);
  EXPECT_EQ(table.take(), nullptr);
  // Of two threads that begin one after the other one at least has another share.
  unsigned others = 0;
  for (int i = 0; i < 2; ++i) std::thread([&] { others += begin(table, 1, 1) ? 1 : 0; }).join();
  EXPECT_GE(others, 1u);
  table.release(*all[7]);
  EXPECT_EQ(begin(table, 1, 1), all[7]);
  EXPECT_EQ(table.take(), nullptr);
}

TEST(OperationTable, KeepsAnOperationUntilNobodyHoldsIt) {
  OperationTable table;
  PortOperation* const operation = begin(table, 1, 3);
  table.release(*operation);
  EXPECT_EQ(table.under_way(), 1u);
  table.release(*operation, 2);
  EXPECT_EQ(table.under_way(), 0u);
}

TEST(OperationTable, FindsNothingUnderANumberThatWasNeverGiven) {
  OperationTable table;
  EXPECT_EQ(table.find(0), nullptr);
  const PortOperation* const operation = begin(table, 1, 1);
  EXPECT_EQ(table.find(operation->number), operation);
  EXPECT_EQ(table.find(OperationTable::kShares * OperationTable::kInShare), nullptr);
  EXPECT_EQ(table.find(~std::uint32_t{0}), nullptr);
}

// Threads begin; one answers, and tries numbers that nobody has asked for.
TEST(OperationTable, EachOperationOfSeveralThreadsIsAnsweredOnce) {
  constexpr unsigned kThreads = 4;
  constexpr std::uint64_t kEach = 20'000;
  OperationTable table;
  std::atomic<unsigned> ended{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < kEach;) {
        if (begin(table, thread + 1, 1 + static_cast<unsigned>(i % 2))) {
          ++i;
        } else {
          sched_yield();
        }
      }
      ++ended;
    });
  }
  std::uint64_t answered[kThreads] = {}, wrong = 0;
  for (bool goes_on = true; goes_on;) {
    goes_on = ended.load() != kThreads || table.under_way() != 0;
    bool found = false;
    for (std::uint32_t number = 0; number < OperationTable::kShares * OperationTable::kInShare; ++number) {
      PortOperation* const operation = table.find(number);
      for (unsigned thread = 0; operation && thread < kThreads; ++thread) {
        std::uint64_t expected = thread + 1;
        if (!operation->awaits.compare_exchange_strong(expected, 0, std::memory_order_acquire)) continue;
        found = true;
        wrong += operation->bytes != (thread + 1) * 3 ? 1 : 0;
        ++answered[thread];
        table.release(*operation, operation->holds.load());
      }
    }
    if (!found) sched_yield();
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t each : answered) EXPECT_EQ(each, kEach);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace aqueduct::conduit
