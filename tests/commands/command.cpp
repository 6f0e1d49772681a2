#include "command.hpp"

#include <unistd.h>

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

std::vector<std::string> wait_for_job(const std::string& ps, const std::string& process) {
  constexpr int kTries = 5000;
  for (int tries = 0; tries < kTries; ++tries) {
    std::vector<std::string> lines = lines_with(command(ps).out, process + " ");
    if (!lines.empty()) return lines;
    usleep(20'000);
  }
  return {};
}

}  // namespace aqueduct::test
