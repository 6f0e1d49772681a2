// Runs of random programs: one seed, one program, one verdict.
#pragma once
#include <cstdint>
#include <string>

namespace aqueduct::test {

/// Each returns what went wrong, or nothing.
std::string run_model_seed(std::uint64_t seed);
std::string run_traffic_seed(std::uint64_t seed);

}  // namespace aqueduct::test
