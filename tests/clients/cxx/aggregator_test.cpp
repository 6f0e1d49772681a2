// Aggregated messages: all of them run, once, wherever they go, with few buffers and with enough.
#include <functional>
#include <set>

#include "check.hpp"

namespace aqueduct::test {
namespace {

task<> to_everybody(job& job, const aggregator_options& options, int count) {
  std::uint64_t sum = 0;
  std::uint64_t times = 0;
  const auto add = [&](std::uint64_t value) {
    sum += value;
    ++times;
  };
  aggregator adder(job, add, options);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) adder.send((job.rank() + i) % job.size(), i + 1u);
    co_await adder.quiesce();
    const auto all = co_await job.reduce_all(sum, std::plus<>());
    expect_equal(all, (round + 1) * std::uint64_t{job.size()} * count * (count + 1) / 2);
    expect_equal(co_await job.reduce_all(times, std::plus<>()),
                 (round + 1) * std::uint64_t{job.size()} * count);
  }
  // Only where records are passed on within a host the pool may grow.
  const aggregator_statistics after = adder.statistics();
  expect(after.hops == 2 || after.buffers <= std::max<std::size_t>(options.buffers, 2));
}

Test aggregation("aggregation", [](job& job) -> task<> {
  co_await to_everybody(job, {}, 5'000);
  // Fewer buffers than destinations: the oldest have to go.
  co_await to_everybody(job, {.buffer_bytes = 256, .buffers = 2, .hops = aggregator_hops::one}, 1'000);
  co_await to_everybody(job, {.buffer_bytes = 256, .buffers = 2, .hops = aggregator_hops::two}, 1'000);
});

Test aggregated_views("aggregated_views", [](job& job) -> task<> {
  std::multiset<std::string> names;
  std::vector<double> numbers;
  aggregator keeper(job, [&](std::string_view name, char, std::span<const double> more) {
    names.emplace(name);
    numbers.insert(numbers.end(), more.begin(), more.end());
  });
  for (std::size_t i = 0; i < 300; ++i) {
    keeper.send(next_of(job), std::string(i % 13, 'n'), 'c', std::vector<double>(i % 3, 0.5));
  }
  co_await keeper.quiesce();
  expect_equal(names.size(), 300u);
  expect_equal(names.count("nnn"), 23u);
  expect(numbers == std::vector<double>(300, 0.5));
});

Test sent_on("sent_on", [](job& job) -> task<> {
  // Functions send on: each message goes around as often as it says. The pool may grow there.
  using Onward = std::function<void(rank_t, std::uint32_t)>;
  Onward onward;
  std::uint64_t ended = 0;
  const auto pass = [&](std::uint32_t left) {
    if (left == 0) {
      ++ended;
    } else {
      onward((job.rank() + left) % job.size(), left - 1);
    }
  };
  aggregator passer(job, pass, {.buffer_bytes = 256, .buffers = 2});
  onward = [&](rank_t to, std::uint32_t left) { passer.send(to, left); };
  for (std::uint32_t i = 0; i < 200; ++i) passer.send(i % job.size(), i % 20);
  co_await passer.quiesce();
  expect_equal(co_await job.reduce_all(ended, std::plus<>()), 200u * job.size());
});

Test prefetched("prefetched", [](job& job) -> task<> {
  // Fewer messages than are fetched ahead, and more; of several values, and of none.
  std::vector<std::uint32_t> table(64);
  std::uint32_t bells = 0;
  {
    aggregator adder(job, with_prefetch([&](std::uint8_t at, std::uint32_t by) { table[at % 64] += by; },
                                        [&](std::uint8_t at, std::uint32_t) { return &table[at % 64]; }));
    aggregator bell(job, [&] { ++bells; });
    for (std::uint32_t count : {3u, 24u, 25u, 1'000u}) {
      std::ranges::fill(table, 0);
      co_await job.barrier();
      for (std::uint32_t i = 0; i < count; ++i) adder.send(next_of(job), static_cast<std::uint8_t>(i), i);
      co_await adder.quiesce();
      std::uint64_t sum = 0;
      for (const std::uint32_t value : table) sum += value;
      expect_equal(sum, std::uint64_t{count} * (count - 1) / 2);
      co_await job.barrier();
    }
    for (int i = 0; i < 100; ++i) bell.send(next_of(job));
    co_await bell.quiesce();
  }
  expect_equal(bells, 100u);
});

Test prefetched_and_sent_on("prefetched_and_sent_on", [](job& job) -> task<> {
  // Those that are held back send on as well, also when nothing else comes any more.
  std::vector<std::uint64_t> table(256);
  std::function<void(rank_t, std::uint64_t)> onward;
  const auto touch = [&](std::uint64_t left) {
    ++table[left];
    if (left != 0) onward(next_of(job), left - 1);
  };
  {
    aggregator toucher(job, with_prefetch(touch, [&](std::uint64_t left) { return &table[left]; }),
                       {.buffer_bytes = 256});
    onward = [&](rank_t to, std::uint64_t left) { toucher.send(to, left); };
    for (const std::uint64_t begin : {0u, 5u, 40u, 200u}) {
      std::ranges::fill(table, 0);
      co_await job.barrier();
      toucher.send(next_of(job), begin);
      co_await toucher.quiesce();
      std::uint64_t sum = 0;
      for (const std::uint64_t times : table) sum += times;
      expect_equal(co_await job.reduce_all(sum, std::plus<>()), (begin + 1) * job.size());
      co_await job.barrier();
    }
  }
});

Test early_packet("early_packet", [](job& job) -> task<> {
  // Rank 0 sends before the others have made theirs: its messages wait for it.
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t value) { sum += value; };
  if (job.rank() != 0) co_await sleep_for(std::chrono::milliseconds(2));
  aggregator adder(job, add);
  if (job.rank() == 0) {
    for (rank_t to = 0; to < job.size(); ++to) adder.send(to, 7u);
    adder.flush();
  }
  co_await adder.quiesce();
  expect_equal(sum, 7u);
});

Test early_views("early_views", [](job& job) -> task<> {
  // So do views, which lie where their elements are aligned.
  double sum = 0;
  if (job.rank() != 0) co_await sleep_for(std::chrono::milliseconds(2));
  aggregator adder(job, [&](std::span<const double> values) {
    expect_equal(reinterpret_cast<std::uintptr_t>(values.data()) % alignof(double), std::uintptr_t{0});
    for (const double value : values) sum += value;
  });
  const double values[] = {1, 2, 4};
  if (job.rank() == 0) {
    for (rank_t to = 0; to < job.size(); ++to) adder.send(to, std::span<const double>(values));
    adder.flush();
  }
  co_await adder.quiesce();
  expect_equal(sum, 7.0);
});

// Copied trivially, but not copied at all.
struct OnlyMoved {
  explicit OnlyMoved(std::uint64_t& to) : sum(&to) {}
  OnlyMoved(OnlyMoved&&) = default;
  OnlyMoved& operator=(OnlyMoved&&) = default;
  void operator()(std::uint64_t value) const { *sum += value; }
  std::uint64_t* sum;
};
static_assert(std::is_trivially_copyable_v<OnlyMoved>);

Test only_moved("only_moved", [](job& job) -> task<> {
  std::uint64_t sum = 0;
  aggregator adder(job, OnlyMoved(sum));
  for (rank_t to = 0; to < job.size(); ++to) adder.send(to, 3u);
  co_await adder.quiesce();
  expect_equal(sum, 3 * std::uint64_t{job.size()});
});

Test deadline("deadline", [](job& job) -> task<> {
  // A message that nobody sends after goes by itself.
  int come = 0;
  aggregator single(job, [&](int value) { come += value; }, {.deadline = std::chrono::microseconds(20)});
  if (job.size() > 1) {
    single.send(next_of(job), 1);
    while (come == 0) co_await yield();
  }
  co_await single.quiesce();
});

}  // namespace
}  // namespace aqueduct::test
