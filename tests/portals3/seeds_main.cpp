// test_portals3_seeds WHAT --seeds FIRST..END: runs the seeds FIRST to END - 1 of one kind of random program.
// On the first failure prints what went wrong and the command that shows it again, and exits with 1.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "portals3/seeds.hpp"

int main(int argc, char** argv) {
  using namespace aqueduct::test;
  std::string (*run)(std::uint64_t) = nullptr;
  if (argc >= 2 && std::strcmp(argv[1], "model") == 0) run = run_model_seed;
  if (argc >= 2 && std::strcmp(argv[1], "traffic") == 0) run = run_traffic_seed;
  unsigned long long first = 0, end = 0;
  if (run == nullptr || argc != 4 || std::strcmp(argv[2], "--seeds") != 0 ||
      std::sscanf(argv[3], "%llu..%llu", &first, &end) != 2 || first >= end) {
    std::fprintf(stderr, "usage: %s model|traffic --seeds FIRST..END\n", argv[0]);
    return 2;
  }
  for (unsigned long long seed = first; seed < end; ++seed) {
    const std::string wrong = run(seed);
    if (wrong.empty()) continue;
    std::printf("seed %llu: %s\nto see it again: %s %s --seeds %llu..%llu\n", seed, wrong.c_str(), argv[0],
                argv[1], seed, seed + 1);
    return 1;
  }
  std::printf("%llu seeds passed\n", end - first);
  bool everywhere = true;
  for (const auto& [place, times] : traffic_reached) {
    if (run == run_traffic_seed)
      std::printf("  %-28s %llu\n", place.c_str(), static_cast<unsigned long long>(times));
    everywhere &= times != 0;
  }
  // So many seeds must have seen everything, or they test less than they say.
  if (run == run_traffic_seed && end - first >= 2000 && !everywhere) {
    std::printf("some places were never reached\n");
    return 1;
  }
  return 0;
}
