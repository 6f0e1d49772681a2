// Inserts that nobody answers: the aggregator knows when all have arrived.
#include <aqueduct.hpp>
#include <cstdio>
#include <unordered_map>

aqueduct::task<> body(aqueduct::job& job) {
  std::unordered_map<std::string, std::string> part;
  aqueduct::aggregator inserts(job, [&](std::string_view k, std::string_view v) { part.emplace(k, v); });
  for (unsigned i = 0; i < 100; ++i) {
    const std::string key = std::to_string(job.rank()) + ":" + std::to_string(i);
    inserts.send(std::hash<std::string>()(key) % job.size(), key, key);
  }
  co_await inserts.quiesce();
  const auto all = co_await job.reduce_all(part.size(), std::plus<>());
  if (job.rank() == 0) std::printf("%zu keys of %u\n", all, 100 * job.size());
}
AQUEDUCT_MAIN(body)
