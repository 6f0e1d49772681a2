/* Barriers: everybody arrives before anybody goes on. */
#ifndef AQUEDUCT_BARRIER_H_
#define AQUEDUCT_BARRIER_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

/* A rank that passes none of these names its barrier by `id`; all names must agree. ANONYMOUS: this rank
 * gives no name and agrees with any. MISMATCH: this rank makes the barrier fail. UNNAMED: ANONYMOUS, and a
 * promise that all ranks pass UNNAMED. */
#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
#define GASNET_BARRIERFLAG_UNNAMED 9

AQ_BEGIN_C_

/* Starts a barrier over a team; the event is done when every member has started it. Several may be in
 * progress at once, and match in the order in which they were started. What a rank did before starting is
 * visible to ranks that have completed it. Flags must be 0. One thread per member; not in handlers. */
AQ_API_ gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags);
AQ_API_ void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags);

/* The split-phase barrier with names, over all ranks of the job. After notify come a wait, or tries until one
 * returns something other than GASNET_ERR_NOT_READY. Both return GASNET_OK or GASNET_ERR_BARRIER_MISMATCH:
 * the names of two ranks differ, or this rank's names in the two phases do, or a rank asked for a mismatch.
 * Try polls once. Phases out of order end the job. One thread at a time; not in handlers. */
AQ_API_ void gasnet_barrier_notify(int id, int flags);
AQ_API_ int gasnet_barrier_wait(int id, int flags);
AQ_API_ int gasnet_barrier_try(int id, int flags);
AQ_API_ int gasnet_barrier(int id, int flags); /* notify and wait */

/* After a wait or try that returned GASNET_OK: 0, and in *id_p the name that the ranks agreed on; non-zero if
 * no rank gave notify a name. */
AQ_API_ int gasnet_barrier_result(int* id_p);

AQ_END_C_

#endif
