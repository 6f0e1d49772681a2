#include "command.hpp"

#include <iterator>
#include <sstream>

namespace aqueduct::test {
namespace {

/// Far more than a run takes; a hang is the test's failure, not its end.
constexpr double kTimeoutSeconds = 500;

}  // namespace

Outcome command(const std::string& arguments, std::vector<std::string> environment) {
  std::istringstream in(arguments);
  std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  words.insert(words.begin(), AQUEDUCT_TOOL);
  return run(std::move(words), std::move(environment), kTimeoutSeconds);
}

Outcome client_job(std::vector<std::string> environment) {
  return command("run -n 2 " CLIENT_PROGRAM, std::move(environment));
}

}  // namespace aqueduct::test
