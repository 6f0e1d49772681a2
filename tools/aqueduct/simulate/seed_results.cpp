#include "simulate/seed_results.hpp"

#include <fmt/format.h>

namespace aqueduct {

std::string SeedResults::text(bool with_table) const {
  std::string text = fmt::format("runs          {} of {}", passed + failures.size(), count);
  text += failures.empty() ? ", none failed\n" : fmt::format(", {} failed\n", failures.size());
  if (with_table && passed != 0) text += statistics.table();
  return text + fmt::format("trace hash    {:016x}\n", trace_hash);
}

std::string SeedResults::failures_text() const {
  constexpr std::size_t kMostShown = 16;
  std::string text;
  for (std::size_t i = 0; i < failures.size() && i < kMostShown; ++i) {
    text += fmt::format("seed {}: {}\nTo see it again: {}\n", failures[i].seed, failures[i].why,
                        failures[i].command);
  }
  if (failures.size() > kMostShown) text += fmt::format("and {} more\n", failures.size() - kMostShown);
  return text;
}

}  // namespace aqueduct
