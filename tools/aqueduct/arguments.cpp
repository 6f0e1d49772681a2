#include "arguments.hpp"

#include <charconv>
#include <stdexcept>

#include "job/membership.hpp"

namespace aqueduct::arguments {

RankId rank_count(const std::string& text) {
  unsigned long ranks = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ranks);
  if (error != std::errc() || rest != end || ranks < 1 || ranks > job::kMaxRanks) {
    throw std::invalid_argument("-n " + text + ": a job has 1 to " + std::to_string(job::kMaxRanks) +
                                " ranks");
  }
  return static_cast<RankId>(ranks);
}

}  // namespace aqueduct::arguments
