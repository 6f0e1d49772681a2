// Pi from points at random, all ranks together.
#include <aqueduct.hpp>
#include <cstdio>
#include <random>

aqueduct::task<> body(aqueduct::job& job) {
  const long trials = 20'000;
  std::mt19937 random(job.rank());
  std::uniform_real_distribution<double> place(0, 1);
  long hits = 0;
  for (long i = 0; i < trials; ++i) hits += std::hypot(place(random), place(random)) <= 1;
  const long all = co_await job.reduce_all(hits, std::plus<>());
  if (job.rank() == 0) std::printf("pi is about %.1f\n", 4.0 * all / (trials * job.size()));
}
AQUEDUCT_MAIN(body)
