// What several commands say about their arguments in the same words.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "base/types.hpp"

namespace aqueduct::arguments {

/// The number of ranks of a job as typed after -n. Throws CLI::ValidationError with one line.
RankId rank_count(const std::string& text);

/// What is wrong with a command line, in words that name the argument.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

/// For the help of a command that hands words on to somebody else: the parser does not know of them.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string words) : words_(std::move(words)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " [OPTIONS] " + words_ + "\n";
  }

 private:
  std::string words_;
};

}  // namespace aqueduct::arguments
