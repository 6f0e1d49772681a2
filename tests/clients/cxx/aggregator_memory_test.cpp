// How much memory an aggregator takes at a rank that sends to all others: the same however many they are.
// Rank 0 prints the most that any rank has.
#include <aqueduct.hpp>
#include <cstdio>

aqueduct::task<> body(aqueduct::job& job) {
  std::uint64_t come = 0;
  aqueduct::aggregator count(job, [&](std::uint32_t by) { come += by; },
                             {.buffer_bytes = 256, .buffers = 16});
  const aqueduct::rank_t ranks = job.size();
  for (aqueduct::rank_t i = 0; i < 64; ++i)
    count.send((job.rank() + i * std::max(ranks / 64, 1u)) % ranks, 1u);
  co_await count.quiesce();
  const std::uint64_t memory =
      co_await job.reduce_all(std::uint64_t{count.statistics().memory_bytes}, aqueduct::maximum());
  const std::uint64_t all = co_await job.reduce_all(come, std::plus<>());
  if (job.rank() == 0 && all == 64u * ranks)
    std::printf("%lu bytes of aggregation\n", static_cast<unsigned long>(memory));
}
AQUEDUCT_MAIN(body)
