#include "parameters.hpp"

#include <charconv>
#include <utility>

namespace aqueduct::bench {
namespace {

constexpr std::size_t kLargestSize = std::size_t{1} << 30;
constexpr std::pair<char, unsigned> kSuffixes[] = {{'G', 30}, {'M', 20}, {'K', 10}};

}  // namespace

std::optional<std::size_t> parse_size(std::string_view text, std::size_t least) {
  unsigned shift = 0;
  for (const auto& [suffix, bits] : kSuffixes) {
    if (!text.empty() && (text.back() == suffix || text.back() == suffix - 'A' + 'a')) {
      shift = bits;
      text.remove_suffix(1);
      break;
    }
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if (number > (kLargestSize >> shift) || number << shift < least) return {};
  return number << shift;
}

std::optional<std::vector<std::size_t>> parse_sizes(std::string_view text, std::size_t least) {
  std::vector<std::size_t> sizes;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto size = parse_size(text.substr(0, comma), least);
    if (!size) return {};
    sizes.push_back(*size);
    if (comma == std::string_view::npos) return sizes;
    text.remove_prefix(comma + 1);
  }
}

std::string size_text(std::size_t bytes) {
  for (const auto& [suffix, bits] : kSuffixes) {
    const std::size_t unit = std::size_t{1} << bits;
    if (bytes >= unit && bytes % unit == 0) return std::to_string(bytes >> bits) + suffix;
  }
  return std::to_string(bytes);
}

}  // namespace aqueduct::bench
