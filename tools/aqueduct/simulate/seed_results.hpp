// What came of many seeds of one simulation (aqueduct sim --seeds with --statistics or --stop-at-failure).
//
// It does not depend on how many ran at once: seeds are taken in their order, and neither wall time nor
// memory is among the figures. With --stop-at-failure nothing after the first failure counts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/common/run_statistics.hpp"

namespace aqueduct {

struct FailedSeed {
  std::uint64_t seed = 0;
  std::string why;      ///< in one line
  std::string command;  ///< repeats it
};

struct SeedResults {
  std::uint64_t first = 0, count = 0;  ///< the seeds that were asked for
  std::uint64_t passed = 0;
  std::uint64_t trace_hash = 0;  ///< over the hashes of those that passed
  RunStatistics statistics{};
  std::vector<FailedSeed> failures{};  ///< in the order of seeds

  /// How many passed, the table of figures if wanted, and the hash.
  std::string text(bool with_table) const;
  /// A line and a command for each failure, at most some of them; empty if there is none.
  std::string failures_text() const;
  /// All of it for programs (json_seeds.cpp).
  std::string json(const std::string& network, std::uint32_t nodes) const;
};

}  // namespace aqueduct
