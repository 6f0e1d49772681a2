// Options whose help shows which values may be typed. A value is taken as written or refused.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace aqueduct::options {

/// A whole number from `least` to `most` (arguments::whole_number).
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& names, Number& value, std::uint64_t least,
                        std::uint64_t most, const std::string& text) {
  const std::string name = names.substr(names.rfind(',') + 1);
  const auto take = [&value, name, least, most](const std::string& typed) {
    value = static_cast<Number>(arguments::whole_number(name, typed, least, most));
  };
  return app.add_option_function<std::string>(names, take, text)->type_name("N");
}

/// An option that takes one of several words, each of which stands for a value.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& names, Value& value,
                        std::vector<std::pair<std::string, Value>> choices, const std::string& text) {
  const std::string name = names.substr(names.rfind(',') + 1);
  std::string words;
  for (const auto& [word, meaning] : choices) words += (words.empty() ? "" : "|") + word;
  const auto take = [&value, name, words, choices = std::move(choices)](const std::string& typed) {
    for (const auto& [word, meaning] : choices) {
      if (word != typed) continue;
      value = meaning;
      return;
    }
    throw CLI::ValidationError(name + " " + typed + ": it must be " + words);
  };
  return app.add_option_function<std::string>(names, take, text)->type_name(words);
}

}  // namespace aqueduct::options
