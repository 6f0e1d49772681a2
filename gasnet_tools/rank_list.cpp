#include "gasnet_tools/rank_list.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/env.hpp"
#include "base/fatal.hpp"

namespace aqueduct::gasnet_tools {
namespace {

bool take_number(std::string_view& text, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char character) {
  if (text.empty() || text.front() != character) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Listed find_rank(const char* list, unsigned rank) {
  std::string_view rest = list;
  if (rest.empty() || rest == "*") return Listed::kYes;
  bool found = false;
  do {
    unsigned first = 0;
    if (!take_number(rest, first)) return Listed::kMalformed;
    unsigned last = first;
    if (take(rest, '-') && (!take_number(rest, last) || last < first)) return Listed::kMalformed;
    if (first <= rank && rank <= last) found = true;
  } while (take(rest, ','));
  if (!rest.empty()) return Listed::kMalformed;
  return found ? Listed::kYes : Listed::kNo;
}

bool rank_is_listed(const char* variable, unsigned rank) {
  const char* list = env::text({variable}, "*");
  const Listed listed = find_rank(list, rank);
  if (listed == Listed::kMalformed) {
    fatal("environment", "%s='%s' is not a list of ranks such as 0,2-4,6 or *", variable, list);
  }
  return listed == Listed::kYes;
}

void warn_of_lists_without_ranks(unsigned ranks) {
  for (const char* variable :
       {"GASNET_TRACENODES", "GASNET_STATSNODES", "GASNET_MALLOCNODES", "GASNET_BACKTRACE_NODES"}) {
    if (std::getenv(variable) == nullptr) continue;
    bool is_some = false;
    for (unsigned rank = 0; rank < ranks && !is_some; ++rank) is_some = rank_is_listed(variable, rank);
    if (is_some) continue;
    warn("environment", "%s='%s' names none of the ranks of this job, 0 to %u: no rank does what it asks for",
         variable, std::getenv(variable), ranks - 1);
  }
}

}  // namespace aqueduct::gasnet_tools
