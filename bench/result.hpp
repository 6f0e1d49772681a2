// The result of a benchmark: rows of medians and spreads, with the machine's own limit if there is one.
//
// A result travels from rank 0 to the process that started the job as JSON (json_text.hpp), is shown as a
// table, and is written to a file for `--json`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "statistics.hpp"

namespace aqueduct::bench {

enum class Better { kLower, kHigher };

/// A further member of a row.
using Extra = std::variant<std::uint64_t, double, std::string>;

struct Row {
  std::size_t size = 0;                 ///< payload bytes; 0 without a payload
  Spread value{};                       ///< over the repetitions
  std::optional<Spread> limit{};        ///< the bare machine's value, measured in turns
  std::string what{};                   ///< distinguishes rows of equal size; may be empty
  std::map<std::string, Extra> more{};  ///< further members of the JSON row
};

struct Result {
  std::string title{};       ///< the measured operation, in words
  std::string unit{};        ///< of all values
  std::string limit_name{};  ///< the name of the limit; empty if there is none
  Better better = Better::kLower;
  std::vector<Row> rows{};
  std::vector<std::string> notes{};  ///< sentences for the reader
  std::string failure{};             ///< why the run is not valid (a failed self-check); empty if it is
};

/// How many times the value is worse than the limit, by medians, and by the best repetition of each.
std::optional<double> ratio(const Row& row, Better better);
std::optional<double> best_ratio(const Row& row, Better better);

}  // namespace aqueduct::bench
