#include "job/launchers/pmi_text.hpp"

#include <algorithm>
#include <charconv>

namespace aqueduct::job::launchers {
namespace {

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_visible(char c) { return c > ' ' && c <= '~'; }

}  // namespace

std::optional<PmiLine> PmiLine::parse(std::string_view line, std::string* why) {
  const auto refuse = [&](std::string reason) {
    *why = std::move(reason);
    return std::nullopt;
  };
  if (line.size() > kMostPmiLine)
    return refuse("it has more than " + std::to_string(kMostPmiLine) + " bytes");
  if (!std::all_of(line.begin(), line.end(), [](char c) { return is_visible(c) || c == ' '; }))
    return refuse("it has characters that cannot be printed");
  PmiLine parsed;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos) break;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == word.npos || equals == 0) return refuse("'" + printable(word) + "' is not name=value");
    const std::string_view name = word.substr(0, equals);
    if (!std::all_of(name.begin(), name.end(), is_name_character))
      return refuse("'" + printable(name) + "' is no name");
    if (parsed.value(name)) return refuse("'" + printable(name) + "' is there twice");
    parsed.words_.push_back({std::string(name), std::string(word.substr(equals + 1))});
  }
  if (parsed.words_.empty() || parsed.words_.front().name != "cmd")
    return refuse("it does not begin with cmd=");
  if (parsed.command().empty()) return refuse("its cmd is empty");
  return parsed;
}

const std::string* PmiLine::value(std::string_view name) const {
  const auto found =
      std::find_if(words_.begin(), words_.end(), [&](const Word& w) { return w.name == name; });
  return found == words_.end() ? nullptr : &found->value;
}

std::optional<std::int64_t> PmiLine::number(std::string_view name) const {
  const std::string* const text = value(name);
  if (!text || text->empty()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

std::optional<std::string> PmiLines::next() {
  const std::size_t end = bytes_.find('\n');
  if (end == bytes_.npos) return std::nullopt;
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return line;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kShown = 80;
  std::string shown(text.substr(0, kShown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return !is_visible(c) && c != ' '; }, '?');
  return text.size() > kShown ? shown + "..." : shown;
}

}  // namespace aqueduct::job::launchers
