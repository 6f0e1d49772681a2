/* Barriers: everybody arrives before anybody goes on. */
#ifndef AQUEDUCT_BARRIER_H_
#define AQUEDUCT_BARRIER_H_

#include "aqueduct/attributes.h"
#include "gasnet_fwd.h"

/* Without a flag, a rank names its barrier by `id`, and all names must agree. ANONYMOUS: this rank matches
 * any name. MISMATCH: this rank demands a mismatch. UNNAMED: every rank is anonymous. */
#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
#define GASNET_BARRIERFLAG_UNNAMED 9

AQ_BEGIN_C_

/* Starts a barrier over a team; the event is done when every member has started it. Several may be in
 * progress at once, and match in the order in which they were started. What a rank did before starting is
 * visible to ranks that have completed it. Flags must be 0. One thread per member; not in handlers. */
AQ_API_ gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags);
AQ_API_ void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags);

/* The split-phase barrier over all ranks with names. After notify comes one wait, or tries until one does not
 * say GASNET_ERR_NOT_READY, with the same id and flags. Both return GASNET_OK, or GASNET_ERR_BARRIER_MISMATCH
 * if names differ between ranks or between the two phases. Try polls once. Phases out of order end the job.
 * Not in handlers. */
AQ_API_ void gasnet_barrier_notify(int id, int flags);
AQ_API_ int gasnet_barrier_wait(int id, int flags);
AQ_API_ int gasnet_barrier_try(int id, int flags);
AQ_API_ int gasnet_barrier(int id, int flags); /* notify and wait */

/* After a successful wait: the name that the ranks agreed on in *id_p, and 0; non-zero if all were anonymous.
 */
AQ_API_ int gasnet_barrier_result(int* id_p);

AQ_END_C_

#endif
