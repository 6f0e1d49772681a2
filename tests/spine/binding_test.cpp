// Where ranks run by default: one that has one thread on cores of its own, threads never all on one core.
#include "job/place/binding.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Binding = Spmd;

cpu_set_t where(pid_t thread) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  EXPECT_EQ(sched_getaffinity(thread, sizeof cpus, &cpus), 0);
  return cpus;
}
int count(const cpu_set_t& cpus) { return CPU_COUNT(&cpus); }

// Where the supervisor may run, which is not bound: what the ranks have to share.
cpu_set_t shared() { return where(getppid()); }

// Whether there is a core for each rank, and more than one in all.
bool has_cores_to_share_out() {
  const cpu_set_t own = where(0), all = shared();
  sched_setaffinity(0, sizeof all, &all);
  const std::size_t cores = job::usable_cores().size();
  sched_setaffinity(0, sizeof own, &own);
  return job().size > 1 && cores >= job().size;
}

TEST_F(Binding, OfARankWithOneThreadIsItsShareOfTheCores) {
  if (!has_cores_to_share_out()) return;
  const int own = count(where(0)), all = count(shared());
#if GASNET_SEQ
  EXPECT_LT(own, all);
#else
  EXPECT_GE(own, 2) << "of " << all;
#endif
}

// In a SEQ rank, which does not announce its threads, they are found when the rank waits.
TEST_F(Binding, LeavesThreadsMoreThanOneCore) {
  if (!has_cores_to_share_out()) return;
  std::atomic<bool> is_over{false};
  std::atomic<pid_t> number{0};
  std::thread early([&] {
    number = gettid();
    while (!is_over) usleep(1000);
  });
  for (gex_Rank_t round = 0; round < 10; ++round) {
    if (job().rank == round % job().size) usleep(20'000);  // the others wait for it
    barrier();
  }
  while (number == 0) usleep(1000);
  EXPECT_GE(count(where(number)), 2) << "of " << count(shared());
  int of_next = 0;
  std::thread([&] { of_next = count(where(0)); }).join();
  EXPECT_GE(of_next, 2) << "of " << count(shared());
  is_over = true;
  early.join();
  barrier();
}

}  // namespace
}  // namespace aqueduct::test
