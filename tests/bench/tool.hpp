// Running the tool, and the file that `--json` leaves.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace aqueduct::test {

/// The words of a command line without quotes.
std::vector<std::string> words(const std::string& text);

/// `aqueduct ARGUMENTS...`
Outcome tool(std::vector<std::string> arguments, std::vector<std::string> environment = {});

/// `aqueduct bench ARGUMENTS... --json FILE`, where FILE is removed afterwards.
struct Stored {
  Outcome outcome;
  nlohmann::json json;  ///< discarded where the file is missing or not JSON
};
Stored stored_bench(std::vector<std::string> arguments, std::vector<std::string> environment = {});

}  // namespace aqueduct::test
