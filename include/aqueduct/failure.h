/* Going on when a rank has died: an extension of the GASNet interface.
 *
 * Normally the death of a rank ends the job. With AQUEDUCT_ON_FAILURE=report the other ranks go on and are
 * told. A rank has died when its process was ended by a signal, with a code other than 0 and not by
 * gasnet_exit, by an error that the library found, or with its host. gasnet_exit still ends the job, and so
 * does the death of the last rank.
 *
 * Who learns of it. Every living rank, soon: when it waits in the library, and when it calls one of the
 * functions below. All see the deaths of one host's list in the same order, but not at the same time. A dead
 * rank stays dead.
 *
 * What becomes of what was under way. Operations on the dead rank (put, get, atomics and their non-contiguous
 * forms) complete, whether they were started before its death or after; what they did there, or fetched from
 * there, is not known. Memory of a dead rank that shares this host stays as it was and may still be read and
 * written. Active messages to the dead rank are dropped; one that was under way may have run or not, and its
 * reply may be missing. A collective or barrier of a team with a dead member is over at once, for those who
 * wait and for those who come, with undefined results (gasnet_barrier_wait answers
 * GASNET_ERR_BARRIER_MISMATCH); no team can be made from it any more. Teams without it are not touched, so a
 * program that wants collectives afterwards makes smaller teams before. Whatever was completed in this way is
 * counted: aqueduct_lost_operations().
 *
 * A program that waits for something of its own (GASNET_BLOCKUNTIL) must ask there whether a rank has died.
 *
 *   while (!answered && !aqueduct_has_failed(tm, peer)) gasnet_AMPoll();
 *
 * Conduits: smp, wire and udp; others refuse to start with AQUEDUCT_ON_FAILURE=report.
 * Threads: any, not in handlers.
 */
#ifndef AQUEDUCT_FAILURE_H_
#define AQUEDUCT_FAILURE_H_

#include "gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if this job goes on when a rank dies, else 0; then the functions below find nothing. */
AQ_API_ int aqueduct_failures_are_reported(void);

/* 1 if the member `rank` of `tm` is known to have died. */
AQ_API_ int aqueduct_has_failed(gex_TM_t tm, gex_Rank_t rank);

/* How many members of `tm` are known to have died. The first `room` of them, in the order of their deaths,
 * are stored in `ranks`, which may be NULL if `room` is 0. */
AQ_API_ gex_Rank_t aqueduct_failed_ranks(gex_TM_t tm, gex_Rank_t* ranks, gex_Rank_t room);

/* How many operations, messages and collectives of this rank have been completed or dropped because of a
 * death since the last call. */
AQ_API_ uint64_t aqueduct_lost_operations(void);

#ifdef __cplusplus
}
#endif

#endif
