// Checks of arguments that several commands share. It does not use the parser, which takes long to compile.
// Every function throws std::invalid_argument with one line for the user.
#pragma once
#include <cstdint>
#include <string>

#include "base/types.hpp"

namespace aqueduct::arguments {

/// The number of ranks of a job as typed after -n.
RankId rank_count(const std::string& text);

/// A whole number as typed after `option`: only digits, from `least` to `most`.
std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most);

/// A number of seconds, such as 30 or 0.5: more than 0, and at most thirty years.
double seconds(const std::string& option, const std::string& text);

}  // namespace aqueduct::arguments
