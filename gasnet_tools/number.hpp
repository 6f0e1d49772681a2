// Numbers as people write them in settings and arguments.
#pragma once
#include <cstdint>

namespace aqueduct::gasnet_tools {

struct ParsedInteger {
  std::int64_t value = 0;
  bool whole_text = false;  ///< the number is all there is in the text
  bool too_large = false;   ///< the value is the nearest that there is
};

/// The number that `text` starts with, 0 if none. unit_bytes 0: whole, decimal or hexadecimal. Otherwise a
/// size, perhaps with a fraction and a unit (B, K, KB, ... T, TB, in any case of letters); unit_bytes is that
/// of a size without one. A blank may stand between number and unit.
ParsedInteger parse_integer(const char* text, std::uint64_t unit_bytes);

/// A decimal number with or without an exponent, or one divided by another; false if the text is not one.
bool parse_real(const char* text, double& value);

}  // namespace aqueduct::gasnet_tools
