#include "arguments.hpp"

#include <fmt/format.h>

#include <charconv>

#include "job/membership.hpp"

namespace aqueduct::arguments {

RankId rank_count(const std::string& text) {
  unsigned long ranks = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ranks);
  if (error != std::errc() || rest != end || ranks < 1 || ranks > job::kMaxRanks) {
    throw CLI::ValidationError(fmt::format("-n {}: a job has 1 to {} ranks", text, job::kMaxRanks));
  }
  return static_cast<RankId>(ranks);
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool is_missing = text.find("missing") != std::string::npos;
    return fmt::format("{}: {}", text.substr(0, text.find(':')),
                       is_missing ? "its value is missing" : "it was given more than once");
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return fmt::format("nothing is known of '{}'", fmt::join(app.remaining(true), " "));
  }
  return text;
}

}  // namespace aqueduct::arguments
