// Handles of debug clients: each is looked up among the objects that live before it is followed, so that a
// stale one, or a number that never was one, is named where it is used. An object that has taken the place of
// a destroyed one in memory is not told from it.
//
// Clients that are not compiled for debugging pay one load where a handle comes into the library, and nothing
// on the inline and fast paths (include/aqueduct/detail/checked_team.h).
#pragma once
#include "base/context.hpp"
#include "core/rank.hpp"
#include "extended/operation.hpp"

namespace aqueduct::api {

/// Whether the call in progress is one of a debug client: it has said where it is.
inline bool is_debug_call() { return current_context.call_site.file != nullptr; }

/// Ends the job if the handle, which is not null, names no object of this process. Any thread.
void look_up(const char* where, gex_TM_t tm);  // no pair
void look_up(const char* where, gex_EP_t endpoint);
void look_up(const char* where, gex_Segment_t segment);
void look_up(const char* where, gex_Client_t client);
void look_up(const char* where, gex_Event_t event);

/// The same, in calls of debug clients only. Handles of other kinds are not looked up.
template <class Handle>
inline void check_handle(const char* where, Handle handle) {
  if (!is_debug_call()) [[likely]]
    return;
  if constexpr (requires { look_up(where, handle); }) look_up(where, handle);
}

}  // namespace aqueduct::api
