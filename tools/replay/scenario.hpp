// The replay as a scenario of `aqueduct sim`, which has one of them in a process:
//
//   open("job.json", 1.0)            reads it
//   ... one or two simulations that run scenario() ...
//   set_network("torus")             before each: what its network is called
//   keep_for_comparison()            after the first of two
//   scenario().findings()            the report
#pragma once
#include <cstdint>
#include <string>

#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::replay {

/// Reads a timeline, or a directory of MPI traces. Returns why that is not possible, in one line; empty if it
/// went well.
std::string open(const std::string& path, double compute);

std::uint32_t ranks();
std::uint64_t segment_bytes();
/// Recorded, in nanoseconds.
std::uint64_t duration_ns();

void set_network(const std::string& name);
void keep_for_comparison();

const scenarios::Scenario& scenario();

}  // namespace aqueduct::replay
