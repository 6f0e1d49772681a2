// Runs and results as JSON text: for the ranks, for the process that started them, and for `--json FILE`.
//
// In JSON every row has size, median, min, max, limit and ratio (the last two null where the machine sets no
// limit); some rows carry more, such as the depth of a queue or a count of threads.
//
// Only json_text.cpp includes the JSON library, whose headers take longer to compile than a benchmark.
#pragma once
#include <optional>
#include <string>

#include "machine.hpp"
#include "parameters.hpp"
#include "result.hpp"

namespace aqueduct::bench {

/// The parameters for the ranks. The reader throws std::exception for malformed text.
std::string to_text(const Parameters& parameters);
Parameters parameters_from_text(const std::string& text);

/// The answer of rank 0: a result, or one line why the run is not possible as asked.
struct Answer {
  std::optional<Result> result{};
  std::string unsuitable{};
};
std::string to_text(const Answer& answer);
/// Nothing for malformed text.
std::optional<Answer> answer_from_text(const std::string& text);

/// The stored form: the documented members first, then those for repeating (the `command`) and reading the
/// run.
std::string stored_text(const Parameters& parameters, const std::string& conduit, const Machine& machine,
                        const Result& result, const std::string& command);

}  // namespace aqueduct::bench
