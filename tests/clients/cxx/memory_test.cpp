// Global pointers, put and get, atomic operations.
#include "check.hpp"

namespace aqueduct::test {
namespace {

Test put_and_get("put_and_get", [](job& job) -> task<> {
  const auto mine = allocate<long>(100);
  const auto all = co_await job.gather_all(mine.data());
  const auto there = all[next_of(job)];
  co_await rput(static_cast<long>(job.rank()), there);
  std::vector<long> some(50, 1000 + job.rank());
  co_await rput(std::span<const long>(some), there + 10);
  co_await job.barrier();
  const long left = (job.rank() + job.size() - 1) % job.size();
  expect_equal(mine.local()[0], left);
  expect_equal(mine.local()[59], 1000 + left);
  expect_equal(mine.local()[60], 0);
  expect_equal(co_await rget(there), static_cast<long>(job.rank()));
  std::vector<long> back(50);
  co_await rget(there + 10, back);
  expect(back == some);
  co_await job.barrier();
  deallocate(mine);
});

Test pointers("pointers", [](job&) -> task<> {
  const global_ptr<int> p = make_global<int>(42);
  expect_equal(*p.local(), 42);
  expect_equal(p.rank(), my_rank());
  expect_equal((p + 5) - p, 5);
  expect(p < p + 1 && p && !global_ptr<int>());
  const global_ptr<const int> constant = p;
  expect_equal(co_await rget(constant), 42);
  expect(to_global(p.local()) == p);
  deallocate(p);
});

Test heap("heap", [](job&) -> task<> {
  // What is given back can be had again, also when it was given back in pieces.
  const std::size_t before = detail::context().heap.bytes_in_use();
  for (int round = 0; round < 3; ++round) {
    std::vector<global_span<char>> blocks;
    for (std::size_t size = 1; size < 100'000; size = size * 3 + 1) blocks.push_back(allocate<char>(size));
    for (const auto& block : blocks)
      std::fill_n(block.local().data(), block.size(), static_cast<char>(block.size()));
    for (const auto& block : blocks) expect_equal(block.local().back(), static_cast<char>(block.size()));
    for (std::size_t i = 0; i < blocks.size(); i += 2) deallocate(blocks[i]);
    for (std::size_t i = 1; i < blocks.size(); i += 2) deallocate(blocks[i]);
  }
  expect_equal(detail::context().heap.bytes_in_use(), before);
  bool refused = false;
  try {
    (void)allocate<char>(std::size_t{1} << 40);
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  expect(refused);
  co_return;
});

template <class T>
task<> all_operations(job& job) {
  const auto mine = make_global<T>(T{});
  const auto all = co_await job.gather_all(mine);
  const atomic_ref<T> counter(all[0]);
  co_await counter.add(T{2});
  co_await job.barrier();
  expect_equal(co_await counter.load(), static_cast<T>(2 * job.size()));
  co_await job.barrier();
  const T before = co_await counter.fetch_add(T{1});
  expect(before >= static_cast<T>(2 * job.size()) && before < static_cast<T>(3 * job.size()));
  co_await job.barrier();
  // Each has one of its own.
  const atomic_ref<T> own(all[next_of(job)]);
  co_await own.store(T{8});
  expect_equal(co_await own.exchange(T{3}), T{8});
  expect_equal(co_await own.compare_exchange(T{3}, T{5}), T{3});
  expect_equal(co_await own.compare_exchange(T{3}, T{6}), T{5});
  expect_equal(co_await own.fetch_max(T{9}), T{5});
  expect_equal(co_await own.fetch_min(T{4}), T{9});
  expect_equal(co_await own.fetch_sub(T{1}), T{4});
  co_await own.mul(T{5});
  expect_equal(co_await own.load(), T{15});
  if constexpr (std::is_integral_v<T>) {
    expect_equal(co_await own.fetch_and(T{6}), T{15});
    expect_equal(co_await own.fetch_or(T{1}), T{6});
    co_await own.bit_xor(T{2});
    expect_equal(co_await own.load(), T{5});
  }
  co_await job.barrier();
  deallocate(mine);
}

Test atomics("atomics", [](job& job) -> task<> {
  co_await all_operations<std::int32_t>(job);
  co_await all_operations<unsigned long long>(job);
  co_await all_operations<double>(job);
});

}  // namespace
}  // namespace aqueduct::test
