// Several threads await at once, each in a loop of its own.
#include "check.hpp"

#if defined(GASNET_PAR)
#include <thread>

namespace aqueduct::test {
namespace {

Test threads("threads", [](job& job) -> task<> {
  const auto mine = allocate<long>(1);
  const auto place = (co_await job.gather_all(mine.data()))[next_of(job)];
  const rank_t next = next_of(job);
  std::atomic<int> done{0};
  const auto work = [&](int number) -> task<> {
    for (int i = 0; i < 200; ++i) {
      expect_equal(co_await call(
                       next, [](int a, int b) { return a + b; }, i, number),
                   i + number);
      const std::string text(static_cast<std::size_t>(i), 'x');
      expect_equal(co_await call(
                       next, [](const std::string& s) { return s; }, text),
                   text);
      co_await atomic_ref(place).add(1);
      batch some;
      for (int k = 0; k < 5; ++k) some.call(next, [] {});
      co_await some;
    }
    ++done;
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number) threads.emplace_back([&work, number] { run(work(number)); });
  while (done != 3) co_await yield();
  for (auto& thread : threads) thread.join();
  co_await job.barrier();
  expect_equal(*mine.local().data(), 600);
  co_await job.barrier();
  deallocate(mine);
});

}  // namespace
}  // namespace aqueduct::test
#endif
