#include <thread>
#include <vector>

#include "gasnet_tools.h"
#include "gasnet_tools/diagnostics/parts.hpp"

namespace aqueduct::gasnet_tools::diagnostics {
namespace {

template <class Work>
void run_threads(int count, Work work) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) threads.emplace_back(work, index);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

void test_atomics(const Plan& plan, Report& report) {
  struct {
    gasnett_atomic_t sum = gasnett_atomic_init(0);
    gasnett_atomic32_t swapped = gasnett_atomic32_init(0);
    gasnett_atomic64_t wide = gasnett_atomic64_init(0);
    gasnett_strongatomic_t left;
    gasnett_atomic_t lock = gasnett_atomic_init(0);
    std::uint64_t guarded = 0;
    gasnett_atomic_t zeros = gasnett_atomic_init(0);
  } shared;
  const auto total = static_cast<std::uint64_t>(plan.iterations) * static_cast<std::uint64_t>(plan.threads);
  gasnett_strongatomic_set(&shared.left, static_cast<std::uint32_t>(total), 0);
  run_threads(plan.threads, [&](int) {
    for (int iteration = 0; iteration < plan.iterations; ++iteration) {
      gasnett_atomic_add(&shared.sum, 3, 0);
      gasnett_atomic_decrement(&shared.sum, 0);
      std::uint32_t old;
      do {
        old = gasnett_atomic32_read(&shared.swapped, 0);
      } while (!gasnett_atomic32_compare_and_swap(&shared.swapped, old, old + 1, 0));
      gasnett_atomic64_add(&shared.wide, (std::uint64_t{1} << 32) + 1, 0);
      if (gasnett_strongatomic_decrement_and_test(&shared.left, 0))
        gasnett_atomic_increment(&shared.zeros, 0);
      while (gasnett_atomic_swap(&shared.lock, 1, GASNETT_ATOMIC_ACQ) != 0) gasnett_sched_yield();
      ++shared.guarded;
      gasnett_atomic_set(&shared.lock, 0, GASNETT_ATOMIC_REL);
    }
  });
  report.expect(gasnett_atomic_read(&shared.sum, 0) == 2 * total, "additions were lost");
  report.expect(gasnett_atomic32_read(&shared.swapped, 0) == total, "compare-and-swap lost something");
  report.expect(gasnett_atomic64_read(&shared.wide, 0) == (total << 32) + total,
                "additions of 64 bits were lost");
  report.expect(gasnett_atomic_read(&shared.zeros, 0) == 1, "counting down reached zero not just once");
  report.expect(shared.guarded == total, "a lock made of swaps let two in");
}

void test_locks(const Plan& plan, Report& report) {
  gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
  gasnett_cond_t condition = GASNETT_COND_INITIALIZER;
  gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;
  int turn = 0;
  std::uint64_t first = 0, second = 0;
  const int rounds = 1 + plan.iterations / 10;
  run_threads(plan.threads, [&](int index) {
    // In turns, each waiting for the one before.
    for (int round = 0; round < rounds; ++round) {
      gasnett_mutex_lock(&mutex);
      while (turn % plan.threads != index) gasnett_cond_wait(&condition, &mutex);
      ++turn;
      gasnett_cond_broadcast(&condition);
      gasnett_mutex_unlock(&mutex);
    }
    // Two numbers that are equal for the holder of the lock.
    for (int round = 0; round < rounds; ++round) {
      gasnett_rwlock_wrlock(&rwlock);
      ++first;
      ++second;
      gasnett_rwlock_unlock(&rwlock);
      gasnett_rwlock_rdlock(&rwlock);
      report.expect(first == second, "a reader saw a writer at work");
      gasnett_rwlock_unlock(&rwlock);
    }
  });
  report.expect(turn == rounds * plan.threads, "turns were lost: %d of %d", turn, rounds * plan.threads);
  report.expect(first == static_cast<std::uint64_t>(rounds) * static_cast<std::uint64_t>(plan.threads),
                "writers overtook each other");
  gasnett_rwlock_destroy(&rwlock);
  gasnett_cond_destroy(&condition);
  gasnett_mutex_destroy(&mutex);
}

}  // namespace aqueduct::gasnet_tools::diagnostics
