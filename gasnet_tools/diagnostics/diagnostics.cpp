#include "aqueduct/tools/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "gasnet_tools/diagnostics/network.hpp"
#include "gasnet_tools/diagnostics/parts.hpp"
#include "gasnetex.h"

using namespace aqueduct::gasnet_tools::diagnostics;

namespace {

constexpr int kMostThreads = 16;

struct LocalPart {
  const char* name;
  void (*test)(const Plan&, Report&);
};
constexpr LocalPart kLocalParts[] = {{"numbers", test_numbers}, {"bytes", test_bytes},
                                     {"ticks", test_ticks},     {"settings", test_environment},
                                     {"heap", test_heap},       {"atomics", test_atomics},
                                     {"locks", test_locks}};
struct NetworkPart {
  const char* name;
  void (*test)(const Plan&, const Peer&, Report&);
};
constexpr NetworkPart kNetworkParts[] = {
    {"messages", test_messages}, {"put and get", test_put_and_get}, {"barriers", test_barriers}};

/// The letters of the parts, in the order in which they stand above.
class Sections {
 public:
  Sections(const char* wanted, bool speaks) : wanted_(wanted != nullptr ? wanted : ""), speaks_(speaks) {}
  bool next_is_wanted(const char* name) {
    const char letter = static_cast<char>('A' + position_++);
    const bool wanted = *wanted_ == '\0' || std::strchr(wanted_, letter) != nullptr ||
                        std::strchr(wanted_, std::tolower(letter)) != nullptr;
    if (wanted && speaks_) {
      std::printf("%c: %s\n", letter, name);
      std::fflush(stdout);
    }
    return wanted;
  }

 private:
  const char* wanted_;
  bool speaks_;
  int position_ = 0;
};

}  // namespace

extern "C" {

int gasnett_run_diagnostics(int iterations, int thread_count, const char* sections, gex_TM_t tm, void*,
                            gex_Rank_t peer, void* peer_segment, unsigned int seed) {
  Report report;
  const Plan plan = {std::max(iterations, 1), std::clamp(thread_count, 1, kMostThreads), seed};
  Sections wanted(sections, gex_TM_QueryRank(tm) == 0);
  for (const LocalPart& part : kLocalParts) {
    if (wanted.next_is_wanted(part.name)) part.test(plan, report);
  }
  for (const NetworkPart& part : kNetworkParts) {
    if (wanted.next_is_wanted(part.name)) part.test(plan, {tm, peer, peer_segment}, report);
  }
  return report.errors();
}

void gasnett_diagnostic_gethandlers(gex_AM_Entry_t** table_p, int* count_p) {
  const HandlerTable table = handlers();
  *table_p = table.entries;
  *count_p = table.count;
}

}  // extern "C"
