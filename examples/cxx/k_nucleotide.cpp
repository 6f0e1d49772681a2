// Counts how often each sequence of k letters occurs in a text of which each rank makes a part.
#include <aqueduct.hpp>
#include <cstdio>
#include <unordered_map>

aqueduct::task<> body(aqueduct::job& job) {
  const int k = 6, letters = 200;
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  aqueduct::aggregator count(job, [&](std::uint32_t sequence) { ++counts[sequence]; });
  std::uint64_t random = job.rank() + 1;
  std::uint32_t sequence = 0;
  for (int i = 0; i < letters; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    sequence = (sequence << 2 | (random >> 40 & 3)) & ((1u << 2 * k) - 1);
    if (i >= k - 1) count.send(sequence * 2654435761u % job.size(), sequence);
  }
  co_await count.quiesce();
  std::uint64_t sum = 0;
  for (const auto& [key, times] : counts) sum += times;
  sum = co_await job.reduce_all(sum, std::plus<>());
  if (job.rank() == 0) std::printf("%g sequences for each rank\n", double(sum) / job.size());
}
AQUEDUCT_MAIN(body)
