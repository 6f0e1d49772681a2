#include "trace/category.hpp"

#include <cctype>
#include <cstring>

namespace aqueduct::trace {
namespace {

constexpr Mask all_categories() {
  Mask mask = 0;
  for (const char* letter = kLetters; *letter != '\0'; ++letter) mask |= bit(static_cast<Category>(*letter));
  return mask;
}

}  // namespace

std::optional<Mask> parse_mask(const char* text) {
  const bool complement = *text == '^';
  if (complement) ++text;
  Mask mask = 0;
  for (; *text != '\0'; ++text) {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(*text)));
    if (std::strchr(kLetters, letter) == nullptr) return std::nullopt;
    mask |= bit(static_cast<Category>(letter));
  }
  return (complement ? all_categories() & ~mask : mask) | bit(Category::kAlways);
}

const char* format_mask(Mask mask, char* text) {
  char* end = text;
  for (const char* letter = kLetters; *letter != '\0'; ++letter) {
    if (mask & bit(static_cast<Category>(*letter))) *end++ = *letter;
  }
  *end = '\0';
  return text;
}

}  // namespace aqueduct::trace
