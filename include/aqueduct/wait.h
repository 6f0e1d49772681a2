/* Naming waits: an extension of the GASNet interface.
 *
 * Reports about a job that does not go on (`aqueduct explain`, the supervisor's own) say what each rank waits
 * for. Of a wait in GASNET_BLOCKUNTIL they know no more than that a message is to come; a client can say what
 * it means, in its own words.
 *
 *   aqueduct_wait_for("a reply of the table", owner);
 *   GASNET_BLOCKUNTIL(answered);
 *   aqueduct_wait_for(NULL, GEX_RANK_INVALID);
 *
 * Threads: any with a place in the library, for itself; not in handlers. A call costs two stores.
 */
#ifndef AQUEDUCT_WAIT_H_
#define AQUEDUCT_WAIT_H_

#include "gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What this thread waits for in GASNET_BLOCKUNTIL from now on: the first 63 characters of `what`, which must
 * stay as it is until the next call, and the rank of the job that it is waited for, or GEX_RANK_INVALID.
 * NULL: nothing is known. */
AQ_API_ void aqueduct_wait_for(const char* what, gex_Rank_t rank);

/* A thread that waits for long sleeps, until a message comes or up to 10 ms. Where other ranks make the
 * condition true by storing into shared memory, which wakes nobody, it is to look more often: from now on no
 * sleep of this thread in GASNET_BLOCKUNTIL takes longer than so many microseconds. 0: as usual. */
AQ_API_ void aqueduct_wait_sleeps(uint32_t longest_us);

#ifdef __cplusplus
}
#endif

#endif
