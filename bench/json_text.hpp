// Runs and results as JSON text: for the ranks, for the process that started them, and for `--json FILE`.
//
// In JSON every row has size, median, min, max, limit and ratio (the last two null where the machine sets no
// limit); some rows carry more, such as the depth of a queue or a count of threads.
//
// Only json_text.cpp knows of the JSON library, whose headers take longer to compile than a benchmark.
#pragma once
#include <optional>
#include <string>

#include "machine.hpp"
#include "parameters.hpp"
#include "result.hpp"

namespace aqueduct::bench {

/// What the ranks were asked for. The reader throws std::exception for text that is none.
std::string to_text(const Parameters& parameters);
Parameters parameters_from_text(const std::string& text);

/// What rank 0 has to say: a result, or in one line why the run cannot be done as asked.
struct Answer {
  std::optional<Result> result{};
  std::string unsuitable{};
};
std::string to_text(const Answer& answer);
/// Nothing for text that is none.
std::optional<Answer> answer_from_text(const std::string& text);

/// The stored form: the documented members first, then what helps to repeat (the `command`) and to read the
/// run.
std::string stored_text(const Parameters& parameters, const std::string& conduit, const Machine& machine,
                        const Result& result, const std::string& command);

}  // namespace aqueduct::bench
