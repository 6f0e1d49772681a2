// Tasks: several at once, time, callbacks, batches.
#include "check.hpp"

namespace aqueduct::test {
namespace {

using namespace std::chrono_literals;

task<int> later(int value, std::chrono::nanoseconds time = 20us) {
  co_await sleep_for(time);
  co_return value;
}
task<> fail() {
  co_await yield();
  throw std::runtime_error("failed");
}

Test all_of_them("all_of_them", [](job& job) -> task<> {
  const auto [a, b, c, d] = co_await when_all(job.call(
                                                  next_of(job), [](int x) { return x; }, 40),
                                              later(3), job.barrier(), job.reduce_all(1, std::plus<>()));
  expect(a == 40 && b == 3 && d == static_cast<int>(job.size()));
  (void)c;
  std::vector<task<int>> tasks;
  for (int i = 0; i < 100; ++i) tasks.push_back(later(i, std::chrono::nanoseconds(5000 - 37 * i)));
  const auto values = co_await when_all(std::move(tasks));
  for (int i = 0; i < 100; ++i) expect_equal(values[i], i);
  const auto error = co_await expect_throw<std::runtime_error>(when_all(later(1), fail(), later(2)));
  expect_equal(error.what(), std::string("failed"));
});

Test first_of_them("first_of_them", [](job& job) -> task<> {
  const auto first = co_await when_any(later(1, 1h), job.call(next_of(job), [] { return 5.5; }));
  expect_equal(first.index(), 2u);
  expect_equal(std::get<2>(first), 5.5);
  co_await expect_throw<timed_out>(with_timeout(later(1, 1h), 100us));
  expect_equal(co_await with_timeout(later(7), 1h), 7);
});

Test time_passes("time_passes", [](job&) -> task<> {
  const std::uint64_t begin = aqueduct_sim_time_ns();
  co_await sleep_for(300us);
  expect(aqueduct_sim_time_ns() - begin >= 300'000);
});

Test callbacks("callbacks", [](job& job) -> task<> {
  int sum = 0;
  for (int i = 0; i < 10; ++i)
    then(job.call(
             next_of(job), [](int x) { return x; }, i),
         [&sum](int x) { sum += x; });
  int barriers = 0;
  then(job.barrier(), [&] { ++barriers; });
  while (sum != 45 || barriers != 1) co_await yield();
});

Test background("background", [](job&) -> task<> {
  int done = 0;
  const auto work = [](int& count) -> task<> {
    co_await sleep_for(10us);
    ++count;
  };
  for (int i = 0; i < 5; ++i) spawn(work(done));
  while (done != 5) co_await yield();
});

Test batches("batches", [](job& job) -> task<> {
  distributed<int> count(job, 0);
  const auto mine = allocate<int>(1000);
  const auto all = co_await job.gather_all(mine.data());
  const auto there = all[next_of(job)];
  batch some;
  for (int i = 0; i < 1000; ++i) {
    some.rput(i, there + i);
    some.call(
        next_of(job), [](int& n, int more) { n += more; }, count, 1);
  }
  co_await some;
  expect_equal(some.pending(), 0u);
  int last = 0;
  some.rget(there + 999, last);
  co_await some;
  expect_equal(last, 999);
  co_await job.barrier();
  expect_equal(*count, 1000);
  some.call(
      next_of(job),
      [](int x) {
        if (x) throw std::runtime_error("bad");
      },
      1);
  some.call(next_of(job), [] {});
  bool thrown = false;
  try {
    co_await some;
  } catch (const remote_error& error) {
    thrown = error.rank() == next_of(job) && error.what() == std::string("bad");
  }
  expect(thrown);
  co_await job.barrier();
  deallocate(mine);
});

}  // namespace
}  // namespace aqueduct::test
