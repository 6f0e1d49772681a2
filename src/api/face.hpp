// Helpers of the C face: from handles to objects, with the checks that every call makes.
#pragma once
#include <string>

#include "base/fatal.hpp"
#include "core/am.hpp"
#include "core/rank.hpp"

namespace aqueduct::api {

/// Answers `code` after warning on stderr, unless the client switched that off.
int returned_error(const char* where, int code, const std::string& reason);
bool verbose_errors();
void set_verbose_errors(bool verbose);

/// The team behind a handle; ends the job if it is none.
inline core::Team& team(const char* where, gex_TM_t tm) {
  if (tm == GEX_TM_INVALID || (reinterpret_cast<std::uintptr_t>(tm) & 1)) [[unlikely]] {
    fatal(where, "the team handle is not valid");
  }
  return *core::from_handle(tm);
}

/// Where member `rank` of a team is; ends the job if there is none.
inline gex_EP_Location_t member(const char* where, gex_TM_t tm, gex_Rank_t rank) {
  const core::Team& members = team(where, tm);
  if (rank >= members.size()) [[unlikely]] {
    fatal(where, "rank %u is outside the team, which has %u ranks", rank, members.size());
  }
  return members.location(rank);
}
inline RankId job_rank(const char* where, gex_TM_t tm, gex_Rank_t rank) {
  return member(where, tm, rank).gex_rank;
}

template <class Handle>
auto& object(const char* where, Handle handle, const char* what) {
  if (!handle) [[unlikely]]
    fatal(where, "the %s handle is not valid", what);
  return *core::from_handle(handle);
}

/// Ends the job if this thread runs a handler: `where` may not be called there.
inline void not_in_handler(const char* where, const core::Thread& thread) {
  if (thread.handling) [[unlikely]] {
    core::not_between_steps(where, thread);
    fatal(where, "may not be called in a handler");
  }
}

}  // namespace aqueduct::api
