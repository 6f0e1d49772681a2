// Numbers with units, as people write them: "75 ns", "2.5us", "1108 MB/s", "16 KiB".
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/network_model.hpp"

namespace aqueduct::sim {

struct Quantity {
  std::uint64_t value = 0;  ///< picoseconds, bytes, femtoseconds per byte, or ones
  Dimension dimension = Dimension::kCount;
};

/// Nothing if the unit is unknown or the number is negative, not finite, or too large.
std::optional<Quantity> quantity(double number, std::string_view unit);

/// The same from one text; a number alone is a count.
std::optional<Quantity> quantity(std::string_view text);

/// "a time", "a number of bytes", ...
const char* name_of(Dimension dimension);

/// 1234567 ps as "1.235 us".
struct ShortTime {
  char text[24];
};
ShortTime show(Time time);

}  // namespace aqueduct::sim
