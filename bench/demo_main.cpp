// The program that `make demo` builds: the demo alone.
//
//   aqueduct-demo [REPETITIONS]            the demo, with so many batches for each row
//   aqueduct-demo bench-rank PARAMETERS    one rank of a job that it starts
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/standard_streams.hpp"
#include "demo.hpp"
#include "job.hpp"
#include "json_text.hpp"
#include "random_access/version.hpp"
#include "raw/raw_interface.hpp"
#include "registry.hpp"
#include "tools/common/printed.hpp"

namespace aqueduct::bench {

// It is linked with the library alone.
std::vector<Bench> further_benches() { return {}; }
std::vector<random_access::VersionKind> random_access::further_versions() { return {}; }
std::unique_ptr<RawInterface> open_further_raw(Session&, const Parameters&) { return nullptr; }

}  // namespace aqueduct::bench

int main(int argc, char** argv) {
  using namespace aqueduct::bench;
  aqueduct::keep_standard_descriptors();
  if (argc == 3 && std::strcmp(argv[1], "bench-rank") == 0) rank_main(parameters_from_text(argv[2]));
  const unsigned long repetitions = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (argc > 2 || (argc == 2 && (repetitions == 0 || repetitions > 10'000))) {
    std::fprintf(stderr, "usage: aqueduct-demo [REPETITIONS], 1 to 10000\n");
    return 2;
  }
  try {
    return aqueduct::printed::finish(run_demo(static_cast<unsigned>(repetitions)));
  } catch (const std::system_error& error) {  // of printing
    return aqueduct::printed::failed(error.code().value(), 1);
  }
}
