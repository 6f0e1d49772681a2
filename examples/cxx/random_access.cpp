// RandomAccess: updates of words at random places of a table that all ranks share.
#include <aqueduct.hpp>
#include <cstdio>

aqueduct::task<> body(aqueduct::job& job) {
  const std::uint64_t words = 128, updates = 200;
  std::vector<std::uint64_t> table(words);
  for (std::uint64_t i = 0; i < words; ++i) table[i] = i;
  aqueduct::aggregator update(job, [&](std::uint64_t value) { table[value % words] ^= value; });
  for (int time = 0; time < 2; ++time) {  // the second time undoes the first
    std::uint64_t value = job.rank() + 1;
    for (std::uint64_t i = 0; i < updates; ++i) {
      value ^= value << 13, value ^= value >> 7, value ^= value << 17;
      update.send((value >> 32) % job.size(), value);
    }
    co_await update.quiesce();
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < words; ++i) wrong += table[i] != i;
  wrong = co_await job.reduce_all(wrong, std::plus<>());
  if (job.rank() == 0) std::printf("%lu words are wrong\n", static_cast<unsigned long>(wrong));
}
AQUEDUCT_MAIN(body)
