/* Teams.
 *
 * A team is an ordered set of endpoints; a gex_TM_t is the team as seen by one of them. Queries may be called
 * by any thread, also in handlers, except as noted. An invalid handle ends the job.
 */
#ifndef AQUEDUCT_TEAM_H_
#define AQUEDUCT_TEAM_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

AQ_API_ gex_Client_t gex_TM_QueryClient(gex_TM_t tm);
AQ_API_ gex_EP_t gex_TM_QueryEP(gex_TM_t tm);
AQ_API_ gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm);
AQ_API_ gex_Rank_t gex_TM_QueryRank(gex_TM_t tm);
AQ_API_ gex_Rank_t gex_TM_QuerySize(gex_TM_t tm);
AQ_API_ void gex_TM_SetCData(gex_TM_t tm, const void* value);
AQ_API_ void* gex_TM_QueryCData(gex_TM_t tm);

/* Between ranks in a team and ranks in the job. Not in handlers. A rank outside the team (or job) ends the
 * job; a job rank that is not a member gives GEX_RANK_INVALID. Flags must be 0. */
AQ_API_ gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank);
AQ_API_ gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t job_rank);
AQ_API_ gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags);

/* Making and destroying teams: collective, blocking, by one thread per member; not in handlers. Misuse ends
 * the job.
 *
 * The library needs no scratch space of the client's for its collectives, but takes note of it: it must lie
 * in the segment bound to the member's endpoint, and is the client's again when the team is destroyed. With
 * GEX_FLAG_TM_NO_SCRATCH the team has none, and every collective works all the same. With
 * GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED (or _MIN) nothing is made; the answer is a good scratch size, zero for
 * a caller that would not be a member. Otherwise the result means nothing. */

/* Splits a team. Callers whose new_tm_p is not NULL and who give the same color (>= 0) become a team, ordered
 * by key and then by rank in the parent. */
AQ_API_ size_t gex_TM_Split(gex_TM_t* new_tm_p, gex_TM_t parent, int color, int key, void* scratch_address,
                            size_t scratch_size, gex_Flags_t flags);

/* Makes a team of the `count` endpoints in `members`, in the order of their ranks: gex_rank is a rank in the
 * parent, or in the job with GEX_FLAG_RANK_IS_JOBRANK. All members give the same list; lists of different
 * teams share no endpoint; a caller that belongs to none gives count 0. One endpoint of each process at most;
 * new_count says whether this process has one (1), whose handle goes to *new_tms, or not (0).
 * scratch_addresses has one entry with GEX_FLAG_TM_SYMMETRIC_SCRATCH (the same for all members) and
 * _LOCAL_SCRATCH (for this one), one for each member with _GLOBAL_SCRATCH; with GEX_FLAG_SCRATCH_SEG_OFFSET
 * they count from the start of the segment. Exactly one of these or _NO_SCRATCH. */
AQ_API_ size_t gex_TM_Create(gex_TM_t* new_tms, size_t new_count, gex_TM_t parent, gex_EP_Location_t* members,
                             size_t count, gex_Addr_t* scratch_addresses, size_t scratch_size,
                             gex_Flags_t flags);

/* Destroys a team other than that of gex_Client_Init, whose collectives are complete on this member. If the
 * client had lent it scratch space and scratch_p is not NULL, stores where (with GEX_FLAG_SCRATCH_SEG_OFFSET
 * as an offset in the segment) and returns non-zero; otherwise returns 0. */
AQ_API_ int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t* scratch_p, gex_Flags_t flags);

/* A pair of endpoints, to be passed where a team and rank name two endpoints that talk: messages, put and
 * get, limits and bound segments. The rank that goes with it is a rank in the job. Equal if made of the same;
 * nothing has to be freed. No call that begins with gex_TM_, gex_AD_ or gex_Coll_ and no collective one takes
 * it. Any thread, also in handlers. */
AQ_API_ gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index);

AQ_END_C_

#endif
