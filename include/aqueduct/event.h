/* Completion: events of explicit (NB) operations, and a thread's implicit (NBI) operations.
 *
 * An operation's event is consumed by a successful test or a wait, together with its leaves. Tests never
 * poll; waits do. A test returns GASNET_OK when done, otherwise GASNET_ERR_NOT_READY. GEX_EVENT_INVALID
 * counts as done; passing GEX_EVENT_NO_OP ends the job. Any thread may complete any event, not in handlers;
 * implicit operations belong to the thread that started them. Flags must be 0.
 */
#ifndef AQUEDUCT_EVENT_H_
#define AQUEDUCT_EVENT_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/watched.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

AQ_API_ int aq_event_test_(gex_Event_t event);
AQ_API_ void aq_event_wait_(gex_Event_t event);

/* Arrays: done events are overwritten with GEX_EVENT_INVALID. Some: at least one was done now, or all were
 * INVALID before. All: nothing is left. A root and its leaves may stand in the same array in any order. */
AQ_API_ int gex_Event_TestSome(gex_Event_t* events, size_t count, gex_Flags_t flags);
AQ_API_ void gex_Event_WaitSome(gex_Event_t* events, size_t count, gex_Flags_t flags);
AQ_API_ int gex_Event_TestAll(gex_Event_t* events, size_t count, gex_Flags_t flags);
AQ_API_ void gex_Event_WaitAll(gex_Event_t* events, size_t count, gex_Flags_t flags);

/* The leaf of a root event for one category (GEX_EC_LC: local completion); the same one each time, and
 * INVALID if that has already happened. Completing the root completes its leaves. */
AQ_API_ gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t category);

/* This thread's implicit operations of the categories in `mask`, outside access regions. */
AQ_API_ int gex_NBI_Test(gex_EC_t mask, gex_Flags_t flags);
AQ_API_ void gex_NBI_Wait(gex_EC_t mask, gex_Flags_t flags);

/* Between the two, this thread's implicit operations are gathered into the one event that the second returns.
 * Regions do not nest, and neither gex_NBI_Test nor gex_NBI_Wait may be called in one: each ends the job. */
AQ_API_ void gex_NBI_BeginAccessRegion(gex_Flags_t flags);
AQ_API_ gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags);

AQ_END_C_

/* What was done at once, as most things between neighbours are, needs no call. A debug client makes it, to be
 * told if it may not wait here. */
AQ_ALWAYS_INLINE_ void gex_Event_Wait(gex_Event_t event) {
#ifndef GASNET_DEBUG
  if (event == GEX_EVENT_INVALID && !AQ_IS_WATCHED_) return;
#endif
  aq_event_wait_(event);
}

AQ_ALWAYS_INLINE_ int gex_Event_Test(gex_Event_t event) {
#ifndef GASNET_DEBUG
  if (event == GEX_EVENT_INVALID && !AQ_IS_WATCHED_) return 0;
#endif
  return aq_event_test_(event);
}

#endif
