#include <aqueduct.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  const auto next = (job.rank() + 1) % job.size();
  const int answer = aqueduct::run(job.call(
      next, [](int a, int b) { return a + b; }, 40, 2));
  std::printf("rank %u of %u was told %d\n", job.rank(), job.size(), answer);
}
