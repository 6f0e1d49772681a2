// Operations on memory that is mapped here and that the header leaves to the library
// (core::Rank::is_left_to_header()): the same copy, and every so often a look for messages.
#pragma once
#include "api/face.hpp"
#include "core/progress.hpp"

namespace aqueduct::api {

/// The calling thread if it may copy at once. Otherwise null, and the call goes the long way, which says what
/// is wrong: a handler may not make it.
[[gnu::always_inline]] inline core::Thread* thread_that_copies() {
  core::Thread* const thread = core::current_thread();
  return thread && !thread->handling ? thread : nullptr;
}

/// Our address of `bytes` bytes in the segment of a team's member, if they can be copied at once; else null.
[[gnu::always_inline]] inline void* nearby(gex_TM_t tm, gex_Rank_t rank, const void* address,
                                           std::size_t bytes) {
  if (tm == GEX_TM_INVALID || is_pair(tm)) [[unlikely]]
    return nullptr;
  auto* const near = reinterpret_cast<gex_TM_t>(&core::from_handle(tm)->near);
  void* here;
  return aq_reach_(near, rank, address, bytes, &here) ? here : nullptr;
}

/// Lets `copy(here)` do the operation, if that is all there is to it, and looks for messages now and then.
/// False: nothing was done.
template <class Copy>
[[gnu::always_inline]] inline bool done_nearby(gex_TM_t tm, gex_Rank_t rank, const void* address,
                                               std::size_t bytes, gex_Flags_t flags, const Copy& copy) {
  core::Thread* const thread = thread_that_copies();
  if (!thread || !aq_may_reach_(flags)) return false;
  void* const here = nearby(tm, rank, address, bytes);
  if (!here) return false;
  copy(here);
  core::look_now_and_then(*thread);
  return true;
}

}  // namespace aqueduct::api
