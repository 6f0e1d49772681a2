// Making and destroying teams.
//
// All three calls are collective and blocking, by one thread per member, not in handlers. A team's id is the
// one that its first member has proposed. A call returns when the new team exists on all of its members, so
// that its first message finds it. Misuse ends the job with one line; `where` names the API function.
#pragma once
#include <span>

#include "extended/extended.hpp"

namespace aqueduct::extended {

/// Splits `parent`: callers with `joins` and the same color, which is not negative, become a team, in the
/// order of their keys and then of their ranks. Null for a caller that does not join.
core::Team* split_team(Thread& thread, core::Team& parent, bool joins, int color, int key,
                       gex_Memvec_t scratch, gex_Flags_t flags);

/// Makes a team of `members`, each at most once and at most one per process; all of them must give the same
/// list, in the order of their ranks. Every member of `parent` calls. Null for a caller that is not a member.
core::Team* create_team(const char* where, Thread& thread, core::Team& parent,
                        std::span<const gex_EP_Location_t> members, gex_Memvec_t scratch, gex_Flags_t flags);

/// Destroys a team other than the world, when all of its members have come.
void destroy_team(Thread& thread, core::Team& team);

}  // namespace aqueduct::extended
