// Parses numbers in settings and arguments.
#pragma once
#include <cstdint>

namespace aqueduct::gasnet_tools {

struct ParsedInteger {
  std::int64_t value = 0;
  bool whole_text = false;  ///< the text is only the number
  bool too_large = false;   ///< the value is the nearest possible one
};

/// The number at the beginning of `text`, 0 if there is none. unit_bytes 0: an integer, decimal or
/// hexadecimal. Otherwise a size, perhaps with a fraction and a unit (B, K, KB, ... T, TB, in upper or lower
/// case); unit_bytes is the default unit. A blank may stand between number and unit.
ParsedInteger parse_integer(const char* text, std::uint64_t unit_bytes);

/// A decimal number with or without an exponent, or one divided by another; false if the text is not one.
bool parse_real(const char* text, double& value);

}  // namespace aqueduct::gasnet_tools
