#include "arguments.hpp"

#include <charconv>
#include <stdexcept>

#include "job/place/membership.hpp"

namespace aqueduct::arguments {
namespace {

constexpr double kMostSeconds = 1e9;

/// Whether all of the text is a number without a sign.
template <class Number>
bool parse(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && text.front() != '-';
}

}  // namespace

RankId rank_count(const std::string& text) {
  unsigned long ranks = 0;
  if (!parse(text, ranks) || ranks < 1 || ranks > job::kMaxRanks) {
    throw std::invalid_argument("-n " + text + ": a job has 1 to " + std::to_string(job::kMaxRanks) +
                                " ranks");
  }
  return static_cast<RankId>(ranks);
}

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t number = 0;
  if (!parse(text, number) || number < least || number > most) {
    throw std::invalid_argument(option + " " + text + ": it must be a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

double seconds(const std::string& option, const std::string& text) {
  double number = 0;
  if (!parse(text, number) || !(number > 0) || number > kMostSeconds) {
    throw std::invalid_argument(option + " " + text +
                                ": it must be a number of seconds such as 30 or 0.5, at most 1000000000");
  }
  return number;
}

}  // namespace aqueduct::arguments
