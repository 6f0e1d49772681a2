// The steps that all collective calls of the face share: check, start, and an event or a wait.
#pragma once
#include "api/face.hpp"
#include "extended/collectives/team_collectives.hpp"
#include "extended/extended.hpp"

namespace aqueduct::api {

using extended::collectives::Kind;
using extended::collectives::Request;

/// Checks what can be checked here; wrong arguments end the job. The thread may not run a handler.
core::Thread& enter_collective(const core::Team& team, const Request& request);

/// In debug clients: all members of the team must make this call, which is carried out elsewhere.
inline void check_collective(const char* where, core::Thread& thread, core::Team& team, Kind kind) {
  if (thread.rank.options().debug_client) [[unlikely]]
    extended::collectives::collectives_of(team).check(thread, where, kind);
}

gex_Event_t start_collective(core::Team& team, const Request& request);
void wait_for_collective(core::Team& team, const Request& request);

}  // namespace aqueduct::api
