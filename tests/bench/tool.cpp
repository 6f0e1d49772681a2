#include "tool.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace aqueduct::test {
namespace {

/// Far more than a run takes; a hang is the test's failure, not its end.
constexpr double kTimeoutSeconds = AQUEDUCT_TEST_TIMEOUT_S - 5;

}  // namespace

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

Outcome tool(std::vector<std::string> arguments, std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), AQUEDUCT_TOOL);
  return run(std::move(arguments), std::move(environment), kTimeoutSeconds);
}

Stored stored_bench(std::vector<std::string> arguments, std::vector<std::string> environment) {
  const auto file =
      std::filesystem::temp_directory_path() / ("aqueduct-bench-" + std::to_string(getpid()) + ".json");
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--json", file.string()});
  Stored stored{.outcome = tool(std::move(arguments), std::move(environment)), .json = {}};
  std::ifstream in(file);
  stored.json = nlohmann::json::parse(in, nullptr, false);
  std::filesystem::remove(file);
  return stored;
}

}  // namespace aqueduct::test
