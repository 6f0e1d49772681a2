#include "gasnet_tools/number.hpp"

#include <cctype>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>

#include "aqueduct/tools/environment.h"

namespace aqueduct::gasnet_tools {
namespace {

// A number of 64 bits times a unit does not overflow it, and it is exact, unlike a double.
__extension__ using Wide = unsigned __int128;

constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
constexpr Wide kMostBelowZero = kMost + 1;
constexpr Wide kPinned = kMostBelowZero + 1;  ///< stands for all numbers that are too large
constexpr char kUnits[] = "KMGT";

struct Cursor {
  const char* at;

  bool take(char wanted) {
    if (std::toupper(static_cast<unsigned char>(*at)) != wanted) return false;
    ++at;
    return true;
  }
  bool is_digit() const { return std::isdigit(static_cast<unsigned char>(*at)) != 0; }
};

Wide pinned(Wide value) { return value > kMostBelowZero ? kPinned : value; }

Wide take_digits(Cursor& cursor) {
  Wide value = 0;
  for (; cursor.is_digit(); ++cursor.at) value = pinned(value * 10 + static_cast<unsigned>(*cursor.at - '0'));
  return value;
}

Wide take_hexadecimal(Cursor& cursor) {
  Wide value = 0;
  for (; std::isxdigit(static_cast<unsigned char>(*cursor.at)) != 0; ++cursor.at) {
    const int digit = std::toupper(static_cast<unsigned char>(*cursor.at));
    value = pinned(value * 16 + static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'A' + 10));
  }
  return value;
}

struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
};

/// The part after the point; digits beyond the eighteenth are less than a byte.
Fraction take_fraction(Cursor& cursor) {
  Fraction fraction;
  for (; cursor.is_digit(); ++cursor.at) {
    if (fraction.denominator >= 1'000'000'000'000'000'000u) continue;
    fraction.numerator = fraction.numerator * 10 + static_cast<unsigned>(*cursor.at - '0');
    fraction.denominator *= 10;
  }
  return fraction;
}

std::uint64_t take_unit(Cursor& cursor, std::uint64_t fallback) {
  Cursor ahead = cursor;
  while (*ahead.at == ' ') ++ahead.at;
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(*ahead.at)));
  const char* known = letter != '\0' ? std::strchr(kUnits, letter) : nullptr;
  std::uint64_t bytes = fallback;
  if (known != nullptr) {
    bytes = std::uint64_t{1} << (10 * (known - kUnits + 1));
    ++ahead.at;
    ahead.take('B');
  } else if (ahead.take('B')) {
    bytes = 1;
  } else {
    return fallback;
  }
  cursor = ahead;
  return bytes;
}

bool take_real(Cursor& cursor, double& value) {
  if (*cursor.at == '+') ++cursor.at;
  const auto [end, error] = std::from_chars(cursor.at, cursor.at + std::strlen(cursor.at), value);
  if (error != std::errc() || !std::isfinite(value)) return false;
  cursor.at = end;
  return true;
}

}  // namespace

ParsedInteger parse_integer(const char* text, std::uint64_t unit_bytes) {
  Cursor cursor{text};
  while (std::isspace(static_cast<unsigned char>(*cursor.at)) != 0) ++cursor.at;
  const bool negative = *cursor.at == '-';
  if (negative || *cursor.at == '+') ++cursor.at;

  const char* digits = cursor.at;
  Wide magnitude = 0;
  if (unit_bytes == 0) {
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') &&
        std::isxdigit(static_cast<unsigned char>(digits[2])) != 0) {
      cursor.at += 2;
      magnitude = take_hexadecimal(cursor);
    } else {
      magnitude = take_digits(cursor);
    }
    if (cursor.at == digits) return {};
  } else {
    magnitude = take_digits(cursor);
    Fraction fraction;
    const bool has_point = cursor.take('.');
    if (has_point) fraction = take_fraction(cursor);
    if (cursor.at - digits <= (has_point ? 1 : 0)) return {};
    const std::uint64_t unit = take_unit(cursor, unit_bytes);
    magnitude = pinned(magnitude * unit + Wide{fraction.numerator} * unit / fraction.denominator);
  }

  ParsedInteger parsed;
  parsed.whole_text = *cursor.at == '\0';
  // The smallest negative number has no positive counterpart; all numbers below it become it.
  if (negative) {
    parsed.too_large = magnitude > kMostBelowZero;
    parsed.value =
        magnitude > kMost ? std::numeric_limits<std::int64_t>::min() : -static_cast<std::int64_t>(magnitude);
  } else {
    parsed.too_large = magnitude > kMost;
    parsed.value = static_cast<std::int64_t>(parsed.too_large ? kMost : magnitude);
  }
  return parsed;
}

bool parse_real(const char* text, double& value) {
  Cursor cursor{text};
  double dividend = 0;
  if (!take_real(cursor, dividend)) return false;
  double divisor = 1;
  if (*cursor.at == '/') {
    ++cursor.at;
    if (!take_real(cursor, divisor) || divisor == 0) return false;
  }
  if (*cursor.at != '\0') return false;
  value = dividend / divisor;
  return true;
}

}  // namespace aqueduct::gasnet_tools

extern "C" {

int64_t gasnett_parse_int(const char* text, uint64_t unit_bytes) {
  return aqueduct::gasnet_tools::parse_integer(text, unit_bytes).value;
}

char* gasnett_format_number(int64_t value, char* buf, size_t bufsz, int is_bytes) {
  const char* unit = "";
  if (is_bytes) {
    static constexpr const char* kNames[] = {" B", " KB", " MB", " GB", " TB"};
    std::size_t step = 0;
    for (; value != 0 && value % 1024 == 0 && step + 1 < std::size(kNames); ++step) value /= 1024;
    unit = kNames[step];
  }
  std::snprintf(buf, bufsz, "%" PRId64 "%s", value, unit);
  return buf;
}

}  // extern "C"
