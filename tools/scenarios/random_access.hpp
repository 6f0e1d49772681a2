// RandomAccess on a simulated machine, by its rules (bench/random_access/rules.hpp) and in its versions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios.hpp"

namespace aqueduct::scenarios {

/// Of the last run.
struct RandomAccessFigures {
  std::uint64_t updates = 0;  ///< of all ranks
  std::uint64_t words = 0;
  std::uint64_t wrong_words = 0;
  std::uint64_t most_held = 0;  ///< by a rank
  double ns = 0;                ///< virtual, from the first update to the last
  double gups() const { return ns > 0 ? static_cast<double>(updates) / ns : 0; }
};

const RandomAccessFigures& random_access_figures();

/// One line about a version or table that is not possible; empty if it is.
std::string complaint_about_random_access(const Parameters& parameters, const std::string& conduit);

/// The name of a version and what it is, for each.
std::vector<std::string> random_access_versions();

}  // namespace aqueduct::scenarios
