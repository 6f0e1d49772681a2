// Breadth-first search on a ring with chords, whose vertices are dealt out to the ranks.
#include <aqueduct.hpp>
#include <cstdio>

aqueduct::task<> body(aqueduct::job& job) {
  const std::uint64_t each = 64, vertices = each * job.size();
  std::vector<int> depth(each, -1);
  std::vector<std::uint64_t> frontier, next;
  aqueduct::aggregator visit(job, [&](std::uint64_t vertex, int level) {
    if (int& mine = depth[vertex / job.size()]; mine < 0) mine = level, next.push_back(vertex);
  });
  if (job.rank() == 0) visit.send(0, std::uint64_t{0}, 0);
  std::uint64_t reached = 0;
  for (int level = 1;; ++level) {
    co_await visit.quiesce();
    frontier = std::exchange(next, {});
    const auto fresh = co_await job.reduce_all(frontier.size(), std::plus<>());
    if (fresh == 0) break;
    reached += fresh;
    for (const auto v : frontier) {
      for (const auto to : {(v + 1) % vertices, (v + vertices - 1) % vertices, v * 3 % vertices})
        visit.send(to % job.size(), to, level);
    }
  }
  if (job.rank() == 0)
    std::printf("%s\n", reached == vertices ? "all vertices were reached" : "some were not reached");
}
AQUEDUCT_MAIN(body)
