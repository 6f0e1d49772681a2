// Runs of random programs: one seed, one program, one verdict.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace aqueduct::test {

/// Each returns what went wrong, or nothing.
std::string run_model_seed(std::uint64_t seed);
std::string run_traffic_seed(std::uint64_t seed);

/// How often the runs so far have come to the rare places that they are for. A name is there from the start.
extern std::map<std::string, std::uint64_t> traffic_reached;

}  // namespace aqueduct::test
