#include "aqueduct/failure.h"

#include "api/face.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

/// With all news taken in; null where failures are not reported.
core::Failures* failures(const char* where) {
  core::Thread& thread = core::this_thread(where);
  not_in_handler(where, thread);
  core::take_in_failures(thread, core::Scope::kAll);
  return thread.rank.failures();
}

}  // namespace

extern "C" {

int aqueduct_failures_are_reported(void) { return failures("aqueduct_failures_are_reported") != nullptr; }

int aqueduct_has_failed(gex_TM_t tm, gex_Rank_t rank) {
  constexpr const char* kWhere = "aqueduct_has_failed";
  const core::Failures* const known = failures(kWhere);
  const core::Team& members = team(kWhere, tm);
  if (rank >= members.size())
    fatal(kWhere, "rank %u is outside the team, which has %u ranks", rank, members.size());
  return known && known->is_dead(members.job_rank(rank));
}

gex_Rank_t aqueduct_failed_ranks(gex_TM_t tm, gex_Rank_t* ranks, gex_Rank_t room) {
  constexpr const char* kWhere = "aqueduct_failed_ranks";
  const core::Failures* const known = failures(kWhere);
  const core::Team& members = team(kWhere, tm);
  if (room != 0 && !ranks) fatal(kWhere, "there is room for %u ranks at NULL", room);
  gex_Rank_t found = 0;
  for (RankId number = 0; known && number < known->count(); ++number) {
    const gex_Rank_t rank = members.rank_of((*known)[number]);
    if (rank == GEX_RANK_INVALID) continue;
    if (found < room) ranks[found] = rank;
    ++found;
  }
  return found;
}

uint64_t aqueduct_lost_operations(void) {
  core::Failures* const known = failures("aqueduct_lost_operations");
  return known ? known->take_lost() : 0;
}
}
