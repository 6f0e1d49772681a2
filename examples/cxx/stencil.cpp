// Red-black Gauss-Seidel in one dimension: each rank has a block with a ghost cell at each end.
#include <aqueduct.hpp>
#include <cmath>
#include <cstdio>

aqueduct::task<> body(aqueduct::job& job) {
  const std::ptrdiff_t block = 64;
  const auto mine = aqueduct::allocate<double>(block + 2);
  const auto u = mine.local();
  const auto all = co_await job.gather_all(mine.data());
  const auto left = all[(job.rank() + job.size() - 1) % job.size()],
             right = all[(job.rank() + 1) % job.size()];
  for (std::ptrdiff_t i = 1; i <= block; ++i) u[i] = 1 + i % 7;
  double error = 1;
  for (int step = 0; step < 1000 && error > 0.02; ++step) {
    co_await job.barrier();
    if (step % 2 == 0)
      u[0] = co_await aqueduct::rget(left + block);
    else
      u[block + 1] = co_await aqueduct::rget(right + 1);
    double change = 0;
    for (std::ptrdiff_t i = 1 + step % 2; i <= block; i += 2) {
      const double next = (u[i - 1] + u[i + 1]) / 2;
      change = std::max(change, std::abs(next - u[i]));
      u[i] = next;
    }
    error = step % 10 ? error : co_await job.reduce_all(change, aqueduct::maximum());
  }
  if (job.rank() == 0) std::printf("the largest change is %s\n", error < 1 ? "small" : "large");
  co_await job.barrier();
}
AQUEDUCT_MAIN(body)
