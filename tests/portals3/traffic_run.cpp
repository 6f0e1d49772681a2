#include "portals3/seeds.hpp"
namespace aqueduct::test {
std::string run_traffic_seed(std::uint64_t) { return {}; }
}  // namespace aqueduct::test
