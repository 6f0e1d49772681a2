/* Questions about the job and this process. After gex_Client_Init, by any thread, also in handlers, except as
 * noted. */
#ifndef AQUEDUCT_SYSTEM_H_
#define AQUEDUCT_SYSTEM_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/thread_mode.h"
#include "gasnet_fwd.h"

/* One member of a neighbourhood or host. The library owns the tables. */
struct aq_rank_info_ {
  gex_Rank_t gex_jobrank;
};
typedef const struct aq_rank_info_ gex_RankInfo_t;

/* A progress thread that the client is to start: gex_progress_fn(gex_progress_arg), on a joinable thread. */
typedef struct {
  const char* gex_device_list;
  unsigned int gex_thread_roles; /* of GEX_THREAD_ROLE_* */
  void* (*gex_progress_fn)(void*);
  void* gex_progress_arg;
} gex_ProgressThreadInfo_t;

/* Where a rank lives, in numbers that count hosts and neighbourhoods from 0, and what to add to an address in
 * its segment to reach it here (0, and useless, if it is no neighbour). */
typedef struct {
  gex_Rank_t host;
  gex_Rank_t supernode; /* the neighbourhood */
  intptr_t offset;
} gasnet_nodeinfo_t;

AQ_BEGIN_C_

AQ_API_ gex_Rank_t gex_System_QueryJobRank(void);
AQ_API_ gex_Rank_t gex_System_QueryJobSize(void);

/* The ranks that share memory with this one (neighbourhood), and those on the same machine (host), this one
 * included, in ascending order; their number; and this rank's place among them. Any output may be NULL.
 * Constant for the job. */
AQ_API_ void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* count_p, gex_Rank_t* my_index_p);
AQ_API_ void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* count_p, gex_Rank_t* my_index_p);

/* How many neighbourhoods and hosts the job has, and the number of this rank's. Any output may be NULL. */
AQ_API_ void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                        gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p);

/* Fills in the first `count` ranks of the job. Before the segments are attached, offsets are 0.
 * GASNET_ERR_BAD_ARG for NULL or a count beyond the job. */
AQ_API_ int gasnet_getNodeInfo(gasnet_nodeinfo_t* table, int count);

/* How many threads of this process may call the library during its life: 1 for a SEQ client, more otherwise.
 * Any time. uint64_t gex_System_QueryMaxThreads(void) */
AQ_API_ uint64_t aq_max_threads_(uint32_t client_config);

/* Non-zero if handlers may run on threads that the client did not bring. Constant for the job. Any time. */
AQ_API_ int gex_System_QueryHiddenAMConcurrencyLevel(void);

/* The progress threads that the client is to start; possibly none. Not in handlers.
 * GASNET_ERR_RESOURCE unless gex_Client_Init was given GEX_FLAG_DEFER_THREADS; GASNET_ERR_BAD_ARG for a NULL
 * output or non-zero flags. */
AQ_API_ int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int* count_p,
                                            const gex_ProgressThreadInfo_t** info_p, gex_Flags_t flags);

/* Whether a returned error is also reported on stderr; on at first. Any time. */
AQ_API_ int gex_System_GetVerboseErrors(void);
AQ_API_ void gex_System_SetVerboseErrors(int enable);

/* A variable of the environment that the job was started in; NULL if not set there. Any time. */
AQ_API_ char* gasnet_getenv(const char* name);

AQ_END_C_

AQ_INLINE_ uint64_t gex_System_QueryMaxThreads(void) { return aq_max_threads_(AQ_CLIENT_CONFIG_); }

#endif
