// All targets in one program; AQUEDUCT_TEST_FUZZ names the one to run.
#include <cstdio>

#include "base/fatal.hpp"
#include "target.hpp"

namespace aqueduct {
namespace {

/// Thrown in place of the end of the process.
struct Refusal {};

}  // namespace

void fatal(const char*, const char* format, ...) {
  fuzz::expect(format != nullptr);
  throw Refusal{};
}

void warn(const char*, const char*, ...) {}

}  // namespace aqueduct

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace aqueduct;
  struct Target {
    const char* name;
    void (*run)(fuzz::Input input);
  };
  static constexpr Target kTargets[] = {{"greeting", fuzz::greeting},
                                        {"tree_node", fuzz::tree_node},
                                        {"net_address", fuzz::net_address},
                                        {"layout", fuzz::layout},
                                        {"pmi_text", fuzz::pmi_text},
                                        {"card", fuzz::card},
                                        {"agent_messages", fuzz::agent_messages},
                                        {"host_list", fuzz::host_list},
                                        {"datagram", fuzz::datagram},
                                        {"port", fuzz::port},
                                        {"ugni_messages", fuzz::ugni_messages},
                                        {"timeline", fuzz::timeline},
                                        {"mpi_text", fuzz::mpi_text}};
  static const Target* const chosen = [] {
    const char* const name = std::getenv("AQUEDUCT_TEST_FUZZ");
    for (const Target& target : kTargets) {
      if (name && std::strcmp(name, target.name) == 0) return &target;
    }
    std::fprintf(stderr, "AQUEDUCT_TEST_FUZZ must be one of:");
    for (const Target& target : kTargets) std::fprintf(stderr, " %s", target.name);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }();
  try {
    chosen->run({data, size});
  } catch (const Refusal&) {
  }
  return 0;
}
