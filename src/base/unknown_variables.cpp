// Variables that somebody set for this library and that it does not have: most often a slip of the keyboard.
#include <algorithm>
#include <atomic>
#include <vector>

#include "base/fatal.hpp"
#include "base/variables.hpp"

extern char** environ;

namespace aqueduct::env {
namespace {

constexpr std::string_view kPrefix = "AQUEDUCT_";

bool matches(const char* pattern, std::string_view name) {
  if (pattern == nullptr) return false;
  std::string_view known = pattern;
  if (!known.ends_with('*')) return name == known;
  known.remove_suffix(1);
  return name.starts_with(known);
}

/// Letters to insert, to remove, to replace or to exchange with the next one, until one text is the other.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const bool is_same = from[i - 1] == to[j - 1];
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (is_same ? 0 : 1)});
      const bool is_exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (is_exchanged) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

}  // namespace

bool is_known(std::string_view name) {
  if (name == "AQUEDUCT_DIR" || name.starts_with("AQUEDUCT_TEST_")) return true;
  return std::ranges::any_of(variables(), [&](const Variable& variable) {
    return matches(variable.name, name) || matches(variable.alias, name);
  });
}

std::string nearest_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return {};
  const std::string_view end = name.substr(kPrefix.size());
  // More slips than this, and it is another word.
  std::size_t nearest = std::max<std::size_t>(2, end.size() / 3) + 1;
  std::string found;
  for (const Variable& variable : variables()) {
    const std::string_view known = variable.name;
    if (variable.section == Section::kPlace || !known.starts_with(kPrefix)) continue;
    const std::size_t slips = distance(end, known.substr(kPrefix.size()));
    if (slips >= nearest) continue;
    nearest = slips;
    found = known;
  }
  return found;
}

void warn_of_unknown_variables() {
  static std::atomic<bool> is_done{false};
  if (is_done.exchange(true)) return;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view setting = *entry;
    const std::string name(setting.substr(0, setting.find('=')));
    if (!name.starts_with(kPrefix) || is_known(name)) continue;
    const std::string meant = nearest_name(name);
    if (meant.empty()) {
      warn("environment", "%s is not a variable of Aqueduct; `aqueduct info --variables` lists them",
           name.c_str());
    } else {
      warn("environment", "%s is not a variable of Aqueduct; did you mean %s?", name.c_str(), meant.c_str());
    }
  }
}

}  // namespace aqueduct::env
