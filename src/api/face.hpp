// Helpers of the C face: from handles to objects, with the checks that every call makes.
#pragma once
#include <string>

#include "api/handles.hpp"
#include "base/fatal.hpp"
#include "core/am.hpp"
#include "core/rank.hpp"

namespace aqueduct::api {

/// Answers `code` after warning on stderr, unless the client switched that off.
int returned_error(const char* where, int code, const std::string& reason);
bool verbose_errors();
void set_verbose_errors(bool verbose);

/// A pair of endpoints is a handle that is no pointer: a mark, the index of the local one, that of the other.
inline bool is_pair(gex_TM_t tm) { return reinterpret_cast<std::uintptr_t>(tm) & 1; }
inline gex_TM_t make_pair(gex_EP_Index_t local, gex_EP_Index_t remote) {
  return reinterpret_cast<gex_TM_t>(std::uintptr_t{1} | std::uintptr_t{local} << 1 |
                                    std::uintptr_t{remote} << 17);
}

/// The team behind a handle; ends the job if it is none.
inline core::Team& team(const char* where, gex_TM_t tm) {
  if (tm == GEX_TM_INVALID) [[unlikely]]
    fatal(where, "the team handle is not valid");
  if (is_pair(tm)) [[unlikely]]
    fatal(where, "a pair of endpoints (gex_TM_Pair) is no team");
  check_handle(where, tm);
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
/// The two endpoints of a pair; ends the job if the local one does not exist or there is no such rank.
core::Peer peer_of_pair(const char* where, gex_TM_t tm, gex_Rank_t rank);

/// The endpoints that talk when `rank` is named with `tm`, a team or a pair; ends the job if there is none.
inline core::Peer peer(const char* where, gex_TM_t tm, gex_Rank_t rank) {
  if (is_pair(tm)) [[unlikely]]
    return peer_of_pair(where, tm, rank);
  if (const core::Team& all = team(where, tm); !all.locations && rank < all.size()) [[likely]]
    return {rank, 0, 0};
  const gex_EP_Location_t other = member(where, tm, rank);
  const core::Team& members = *core::from_handle(tm);
  return {other.gex_rank, other.gex_ep_index,
          members.primordial ? gex_EP_Index_t{0} : members.endpoint->index};
}

/// The job rank of a team's member if the fast paths can reach it: it is endpoint 0 there. Otherwise, or if
/// there is no such member, a number above all ranks.
inline RankId fast_path_rank(gex_TM_t tm, gex_Rank_t rank) {
  constexpr RankId kNoFastPath = ~RankId{0};
  if (tm == GEX_TM_INVALID || is_pair(tm)) [[unlikely]]
    return kNoFastPath;
  const core::Team& members = *core::from_handle(tm);
  if (!members.locations) [[likely]]
    return rank;
  return members.primordial && rank < members.size() ? members.locations[rank].gex_rank : kNoFastPath;
}

inline RankId job_rank(const char* where, gex_TM_t tm, gex_Rank_t rank) {
  return member(where, tm, rank).gex_rank;
}

template <class Handle>
auto& object(const char* where, Handle handle, const char* what) {
  if (!handle) [[unlikely]]
    fatal(where, "the %s handle is not valid", what);
  check_handle(where, handle);
  return *core::from_handle(handle);
}

/// Ends the job if this thread runs a handler: `where` may not be called there.
inline void not_in_handler(const char* where, const core::Thread& thread) {
  if (thread.handling) [[unlikely]] {
    core::refuse_outside_handlers(where, thread);
    fatal(where, "may not be called in a handler");
  }
}

/// This thread, where it does not run a handler; else ends the job.
inline core::Thread& enter(const char* where) {
  core::Thread& thread = core::this_thread(where);
  not_in_handler(where, thread);
  return thread;
}

/// For parameters and members named is_reply.
inline constexpr bool kReply = true;

}  // namespace aqueduct::api
