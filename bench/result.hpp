// What a benchmark found: rows of medians and spreads, beside the machine's own limit where there is one.
//
// A result travels from rank 0 to the process that started the job as JSON, is shown as a table, and is
// written to a file for `--json`. In JSON every row has size, median, min, max, limit and ratio (the last two
// null where the machine sets no limit); some rows carry more, such as the depth of a queue or a count of
// threads.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "statistics.hpp"

namespace aqueduct::bench {

enum class Better { kLower, kHigher };

struct Row {
  std::size_t size = 0;           ///< payload bytes; 0 where there is no payload
  Spread value{};                 ///< over the repetitions
  std::optional<Spread> limit{};  ///< what the bare machine does, measured in turns with the value
  std::string what{};             ///< tells rows of equal size apart; may be empty
  nlohmann::json more = nlohmann::json::object();  ///< further members of the JSON row
};

struct Result {
  std::string title{};       ///< the measured operation, in words
  std::string unit{};        ///< of all values
  std::string limit_name{};  ///< what the limit is, in words; empty where there is none
  Better better = Better::kLower;
  std::vector<Row> rows{};
  std::vector<std::string> notes{};  ///< sentences for the reader
  std::string failure{};             ///< why the run is not valid (a self-check that failed); empty if it is
};

/// How many times worse than the limit, by medians; by the best repetition of each.
std::optional<double> ratio(const Row& row, Better better);
std::optional<double> best_ratio(const Row& row, Better better);

/// The form in which a result travels and is stored.
nlohmann::json to_json(const Result& result);
Result result_from_json(const nlohmann::json& json);

}  // namespace aqueduct::bench
