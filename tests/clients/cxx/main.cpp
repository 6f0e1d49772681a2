// Runs all tests, or those that are named.
#include <cstring>

#include "check.hpp"

namespace {

int run_tests(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  int count = 0;
  for (const auto* test = aqueduct::test::Test::first; test; test = test->next) {
    bool is_wanted = argc < 2;
    for (int i = 1; i < argc; ++i) is_wanted |= std::strcmp(argv[i], test->name) == 0;
    if (!is_wanted) continue;
    aqueduct::run(test->run(job));
    aqueduct::run(job.barrier());
    ++count;
  }
  if (job.rank() == 0) std::printf("%d tests of the C++ interface passed on %u ranks\n", count, job.size());
  return count == 0;
}

}  // namespace

int main(int argc, char** argv) { return run_tests(argc, argv); }
int aqueduct_sim_main(int argc, char** argv) { return run_tests(argc, argv); }
