#include "clients/caf/convert.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "clients/caf/error.hpp"

namespace aqueduct::caf {
namespace {

bool is_integral(TypeCode code) { return code == TypeCode::kInteger || code == TypeCode::kLogical; }
bool is_number(TypeCode code) {
  return is_integral(code) || code == TypeCode::kReal || code == TypeCode::kComplex;
}

/// Calls with(value of type) for the C type of a number's part; whether there is one.
template <class With>
bool with_type(TypeCode code, int kind, With&& with) {
  if (is_integral(code)) {
    switch (kind) {
      case 1:
        return with(std::int8_t{}), true;
      case 2:
        return with(std::int16_t{}), true;
      case 4:
        return with(std::int32_t{}), true;
      case 8:
        return with(std::int64_t{}), true;
      case 16:
        return with(static_cast<__int128>(0)), true;
      default:
        return false;
    }
  }
  switch (kind) {
    case 4:
      return with(float{}), true;
    case 8:
      return with(double{}), true;
    case 10:
      return with(static_cast<long double>(0)), true;
#ifdef __SIZEOF_FLOAT128__
    case 16:
      return with(static_cast<__float128>(0)), true;
#else
    case 16:
      return with(static_cast<long double>(0)), true;
#endif
    default:
      return false;
  }
}

/// Parts of numbers, at any distance from each other.
template <class To, class From>
void convert_parts(char* to, std::size_t to_step, const char* from, std::size_t from_step,
                   std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, to += to_step, from += from_step) {
    From value;
    std::memcpy(&value, from, sizeof value);
    const To converted = static_cast<To>(value);
    std::memcpy(to, &converted, sizeof converted);
  }
}

bool convert_numbers(char* to, const ElementType& to_type, const char* from, const ElementType& from_type,
                     std::size_t count) {
  const bool from_complex = from_type.code == TypeCode::kComplex,
             to_complex = to_type.code == TypeCode::kComplex;
  bool converted = false;
  with_type(to_type.code, to_type.kind, [&](auto to_value) {
    with_type(from_type.code, from_type.kind, [&](auto from_value) {
      using To = decltype(to_value);
      using From = decltype(from_value);
      // A real number becomes the real part, and of a complex one the real part is taken.
      if (to_complex && !from_complex) std::memset(to, 0, count * to_type.bytes);
      convert_parts<To, From>(to, to_type.bytes, from, from_type.bytes, count);
      if (to_complex && from_complex)
        convert_parts<To, From>(to + to_type.bytes / 2, to_type.bytes, from + from_type.bytes / 2,
                                from_type.bytes, count);
      converted = true;
    });
  });
  return converted;
}

template <class To, class From>
void convert_text(char* to, std::size_t to_length, const char* from, std::size_t from_length) {
  const std::size_t common = std::min(to_length, from_length);
  auto* const out = reinterpret_cast<To*>(to);
  const auto* const in = reinterpret_cast<const From*>(from);
  for (std::size_t i = 0; i < common; ++i)
    out[i] = sizeof(To) < sizeof(From) && in[i] > 255 ? static_cast<To>('?') : static_cast<To>(in[i]);
  std::fill(out + common, out + to_length, static_cast<To>(' '));
}

void convert_characters(char* to, const ElementType& to_type, const char* from, const ElementType& from_type,
                        std::size_t count) {
  const auto to_kind = static_cast<std::size_t>(std::max(to_type.kind, 1));
  const auto from_kind = static_cast<std::size_t>(std::max(from_type.kind, 1));
  const std::size_t to_length = to_type.bytes / to_kind, from_length = from_type.bytes / from_kind;
  for (std::size_t i = 0; i < count; ++i, to += to_type.bytes, from += from_type.bytes) {
    if (to_kind == 1 && from_kind == 1)
      convert_text<std::uint8_t, std::uint8_t>(to, to_length, from, from_length);
    else if (to_kind == 1)
      convert_text<std::uint8_t, std::uint32_t>(to, to_length, from, from_length);
    else if (from_kind == 1)
      convert_text<std::uint32_t, std::uint8_t>(to, to_length, from, from_length);
    else
      convert_text<std::uint32_t, std::uint32_t>(to, to_length, from, from_length);
  }
}

}  // namespace

void convert(char* to, const ElementType& to_type, const char* from, const ElementType& from_type,
             std::size_t count) {
  if (is_number(to_type.code) && is_number(from_type.code)) {
    if (convert_numbers(to, to_type, from, from_type, count)) return;
  } else if (to_type.code == TypeCode::kCharacter && from_type.code == TypeCode::kCharacter) {
    return convert_characters(to, to_type, from, from_type, count);
  } else if (to_type.bytes == from_type.bytes) {
    std::memcpy(to, from, count * to_type.bytes);
    return;
  }
  fatal("a transfer", "elements of type %d, kind %d cannot be assigned to elements of type %d, kind %d",
        static_cast<int>(from_type.code), from_type.kind, static_cast<int>(to_type.code), to_type.kind);
}

}  // namespace aqueduct::caf
