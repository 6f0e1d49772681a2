// A rank dies: who waits for it gets peer_failed, and the others go on.
#include <signal.h>

#include "check.hpp"

namespace {

using namespace aqueduct;

int past_the_barrier = 0;

task<> body(job& job) {
  team living = co_await job.split(job.rank() == 1 ? 1 : 0);
  co_await job.barrier();
  if (job.rank() == 1) {
    // Once a call has come that it will never answer.
    co_await sleep_for(std::chrono::hours(1));
  }
  const auto forever = [](int) -> task<int> {
    raise(SIGKILL);
    co_return 0;
  };
  // What it sent to leave the barrier may be lost with it, so everybody is past that when it dies.
  if (job.rank() == 2) co_await job.call(0, [] { ++past_the_barrier; });
  if (job.rank() == 0) {
    while (past_the_barrier == 0) co_await sleep_for(std::chrono::milliseconds(1));
    const auto error = co_await test::expect_throw<peer_failed>(job.call(1, forever, 1));
    test::expect_equal(error.rank(), 1u);
    batch some;
    bool thrown = false;
    try {
      some.call(1, [] {});
      co_await some;
    } catch (const peer_failed&) {
      thrown = true;
    }
    test::expect(thrown);
  }
  co_await test::expect_throw<peer_failed>(job.barrier());
  test::expect_equal(co_await living.reduce_all(1, std::plus<>()), 2);
  test::expect_equal(co_await living.call(
                         test::next_of(living), [](int x) { return x; }, 5),
                     5);
  co_await living.barrier();
  if (job.rank() == 0) std::puts("the others went on");
  std::fflush(stdout);
  co_await living.barrier();
  gasnet_exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  job job{argc, argv};
  run(body(job));
}
