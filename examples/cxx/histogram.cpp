// Counts words: each owner gets what is its in one message, and reads it there without a copy.
#include <aqueduct.hpp>
#include <cstdio>
#include <unordered_map>

using Counts = std::unordered_map<std::string, double>;

aqueduct::task<> body(aqueduct::job& job) {
  aqueduct::distributed<Counts> counts(job);
  std::vector<Counts> for_rank(job.size());
  for (int i = 0; i < 100; ++i) {
    const std::string word = "word" + std::to_string(i);
    for_rank[std::hash<std::string>()(word) % job.size()][word] += 0.5;
  }
  aqueduct::batch sent;
  for (aqueduct::rank_t rank = 0; rank < job.size(); ++rank) {
    if (for_rank[rank].empty()) continue;
    sent.call(
        rank,
        [](Counts& mine, const Counts& more) {
          for (const auto& [word, n] : more) mine[word] += n;
        },
        counts, for_rank[rank]);
  }
  co_await sent;
  co_await job.barrier();
  double sum = 0;
  for (const auto& [word, n] : *counts) sum += n;
  const double all = co_await job.reduce_all(sum, std::plus<>());
  if (job.rank() == 0) std::printf("the histogram holds %g for each rank\n", all / job.size());
}
AQUEDUCT_MAIN(body)
