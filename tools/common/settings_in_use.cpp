#include "settings_in_use.hpp"

#include <set>
#include <string_view>

extern char** environ;

namespace aqueduct {

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      text += "'\\''";
    } else {
      text += letter;
    }
  }
  return text + "'";
}

std::string settings_in_use() {
  std::set<std::string> settings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string setting = *entry;
    const bool is_ours = setting.starts_with("AQUEDUCT_") || setting.starts_with("GASNET_");
    if (!is_ours || setting.starts_with("AQUEDUCT_CONDUIT=")) continue;
    const std::size_t value = setting.find('=') + 1;
    settings.insert(setting.substr(0, value) + quoted(setting.substr(value)));
  }
  std::string text;
  for (const std::string& setting : settings) text += setting + " ";
  return text;
}

}  // namespace aqueduct
