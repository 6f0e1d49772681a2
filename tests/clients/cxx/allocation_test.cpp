// In steady state nothing is allocated: not for operations, calls, tasks, batches, nor aggregated messages.
#include "check.hpp"
#include "paths/interpose.hpp"

namespace {

using namespace aqueduct;

task<long> twice(global_ptr<long> place) { co_return 2 * co_await rget(place); }

}  // namespace

int main(int argc, char** argv) {
  job job{argc, argv};
  const rank_t next = test::next_of(job);
  const auto mine = allocate<long>(8);
  const auto place = run(job.gather_all(mine.data()))[next];
  long sum = 0;
  aggregator messages(job, [&sum](long value) { sum += value; });
  batch some;
  const std::string text(100, 't');
  const auto round = [&]() -> task<> {
    for (int i = 0; i < 100; ++i) {
      co_await rput(long{i}, place);
      (void)co_await twice(place);
      (void)co_await atomic_ref(place + 1).fetch_add(1);
      (void)co_await job.call(
          next, [](int a, double b) { return a + b; }, i, 0.5);
      (void)co_await job.call(
          next, [](std::string_view s) { return s.size(); }, text);
      (void)co_await when_all(rget(place), job.call(next, [] { return 1; }));
      const long later = co_await job.call(
          next,
          [](long v) -> task<long> {
            co_await yield();
            co_return v;
          },
          long{i});
      test::expect_equal(later, i);
      some.call(
          next, [](int) {}, i);
      some.rput(long{i}, place + 2);
      co_await some;
      messages.send(next, i);
    }
    co_await messages.quiesce();
    co_await job.barrier();
  };
  // Pools grow until they hold what is ever needed at once, which depends on who is ahead. What allocates
  // each time never has three rounds without.
  int without = 0;
  for (int rounds = 0; rounds < 100 && without < 3; ++rounds) {
    test::start_watching();
    run(round());
    const test::Watched seen = test::stop_watching();
    without = run(job.reduce_all(seen.allocations, std::plus<>())) == 0 ? without + 1 : 0;
  }
  test::expect_equal(without, 3);
  if (job.rank() == 0) std::puts("nothing was allocated");
}
