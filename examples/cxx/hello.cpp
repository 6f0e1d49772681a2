#include <aqueduct.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  const auto next = (job.rank() + 1) % job.size();
  const auto add = [](int a, int b) { return a + b; };
  const int answer = aqueduct::run(job.call(next, add, 40, 2));
  std::printf("rank %u of %u was told %d\n", job.rank(), job.size(), answer);
}
