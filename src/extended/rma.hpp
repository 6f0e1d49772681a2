// Put and get: a plain copy for a neighbour, the conduit's native where it has one, else the reference.
#pragma once
#include "extended/extended.hpp"

namespace aqueduct::extended {

/// How a transfer was started. kDone: it is complete; kStarted: `pending` counts it; kNotNow: only with
/// IMMEDIATE.
enum class Started { kDone, kStarted, kNotNow };

/// What is started, for those who look from outside; and whom its event will be waited for.
inline void note_start(Thread& thread, RankId target, observe::Counter observe::PeerCounters::*what,
                       std::size_t bytes) {
  observe::PeerCounters& counters = thread.with(target);
  (counters.*what).add();
  counters.bytes.add(bytes);
  thread.last_transfer = target;
}

/// Ends the job unless job rank `target` exists, [address, address + bytes) lies in the segment of its
/// endpoint, and no handler runs on this thread. `where` names the API function.
void check_target(const char* where, Thread& thread, RankId target, const void* address, std::size_t bytes,
                  gex_EP_Index_t endpoint = 0);

/// Start a transfer with job rank `target`. `pending` is counted up before and down when it completes. A
/// range outside the target's segment (unless everything can be reached), a rank outside the team or a call
/// from a handler ends the job; `where` names the API function. The source of a put is free when it returns.
Started start_put(const char* where, Thread& thread, RankId target, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint = 0);
/// The same for a source that may be needed for longer, as `reuse` says.
Started start_lent_put(const char* where, Thread& thread, RankId target, void* to, const void* from,
                       std::size_t bytes, Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint,
                       conduit::Reuse reuse);
Started start_get(const char* where, Thread& thread, RankId target, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint = 0);

/// The same for setting memory at the target to a byte; never kNotNow.
Started start_fill(const char* where, Thread& thread, RankId target, void* to, int value, std::size_t bytes,
                   Pending& pending);

}  // namespace aqueduct::extended
