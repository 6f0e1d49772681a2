/* The collectives of GASNet-1, over all ranks of the job.
 *
 * The plain form waits; the _nb form returns a handle, which is a gex_Event_t. An image is a rank. Flags say
 * when data may move: NOSYNC and MYSYNC, when this rank has made the call and until its own part is done;
 * ALLSYNC, when all ranks have made it and until all data is in place. Every rank gives the addresses of its
 * own data (GASNET_COLL_LOCAL); the other flags are hints. Otherwise as in aqueduct/collectives.h.
 */
#ifndef AQUEDUCT_LEGACY_COLLECTIVES_H_
#define AQUEDUCT_LEGACY_COLLECTIVES_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/call_site.h"
#include "gasnet_fwd.h"

typedef uint32_t gasnet_image_t;

/* The only team is that of all ranks. */
typedef struct aq_legacy_team_* gasnet_team_handle_t;
#define GASNET_TEAM_ALL ((gasnet_team_handle_t)(uintptr_t)1)

typedef gex_Event_t gasnet_coll_handle_t;
#define GASNET_COLL_INVALID_HANDLE GEX_EVENT_INVALID

/* Exactly one IN and one OUT flag. */
#define GASNET_COLL_IN_NOSYNC (1 << 0)
#define GASNET_COLL_IN_MYSYNC (1 << 1)
#define GASNET_COLL_IN_ALLSYNC (1 << 2)
#define GASNET_COLL_OUT_NOSYNC (1 << 3)
#define GASNET_COLL_OUT_MYSYNC (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
#define GASNET_COLL_SYNC_FLAG_MASK 0x3f
#define GASNET_COLL_LOCAL (1 << 7)
#define GASNET_COLL_DST_IN_SEGMENT (1 << 8)
#define GASNET_COLL_SRC_IN_SEGMENT (1 << 9)
#define GASNET_COLL_NO_IMAGES (1 << 10)
#define GASNET_COLL_FIXED_THREADS_PER_NODE (1 << 11)
#define GASNET_COLL_AMSAFE (1 << 12)
#define GASNET_COLL_NONCOMM (1 << 13)
#define GASNET_COLL_DISABLE_AUTOTUNE (1 << 14)
/* Addresses that are the same on all ranks cannot be told apart from others here: not to be used. */
#define GASNET_COLL_SINGLE GASNET_COLL_SINGLE_is_not_supported_use_GASNET_COLL_LOCAL

AQ_BEGIN_C_

/* The root's `nbytes` to everybody; block number r of the root's to rank r; everybody's to block number r of
 * the root's; everybody's to everybody; block number r of rank q to block number q of rank r. */
AQ_API_ void gasnet_coll_broadcast(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                                   size_t nbytes, int flags);
AQ_API_ void gasnet_coll_scatter(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                                 size_t nbytes, int flags);
AQ_API_ void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, void* src,
                                size_t nbytes, int flags);
AQ_API_ void gasnet_coll_gather_all(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,
                                    int flags);
AQ_API_ void gasnet_coll_exchange(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes, int flags);

AQ_API_ gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void* dst,
                                                      gasnet_image_t srcimage, void* src, size_t nbytes,
                                                      int flags);
AQ_API_ gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void* dst,
                                                    gasnet_image_t srcimage, void* src, size_t nbytes,
                                                    int flags);
AQ_API_ gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                                   void* dst, void* src, size_t nbytes, int flags);
AQ_API_ gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void* dst, void* src,
                                                       size_t nbytes, int flags);
AQ_API_ gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void* dst, void* src,
                                                     size_t nbytes, int flags);

/* The barrier with names, as gasnet_barrier_notify() and the rest. */
AQ_API_ void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags);
AQ_API_ int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);
AQ_API_ int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);
AQ_API_ int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);
AQ_API_ int gasnet_coll_barrier_result(gasnet_team_handle_t team, int* id_p);

AQ_END_C_

/* Collectives are ready from the start, and their algorithms are chosen by size and team: there is nothing to
 * set up, to tune or to store. These calls accept what programs pass and change nothing. */
typedef enum {
  GASNET_COLL_BROADCAST_OP,
  GASNET_COLL_SCATTER_OP,
  GASNET_COLL_GATHER_OP,
  GASNET_COLL_GATHER_ALL_OP,
  GASNET_COLL_EXCHANGE_OP,
  GASNET_COLL_NUM_COLL_OPTYPES
} gasnet_coll_optype_t;
typedef int gasnet_coll_tuning_param_type_t;
typedef void (*gasnet_coll_overlap_sample_work_t)(void* arg);
typedef struct {
  void (*fnptr)(void);
  unsigned int flags;
} gasnet_coll_fn_entry_t;

AQ_INLINE_ void gasnet_coll_init(const gasnet_image_t* images, gasnet_image_t my_image,
                                 gasnet_coll_fn_entry_t* fn_tbl, size_t fn_count, int init_flags) {
  (void)images, (void)my_image, (void)fn_tbl, (void)fn_count, (void)init_flags;
}
AQ_INLINE_ void gasnet_coll_dumpTuningState(const char* filename, gasnet_team_handle_t team) {
  (void)filename, (void)team;
}
AQ_INLINE_ void gasnet_coll_loadTuningState(const char* filename, gasnet_team_handle_t team) {
  (void)filename, (void)team;
}
AQ_INLINE_ void gasnet_coll_dumpProfile(const char* filename, gasnet_team_handle_t team) {
  (void)filename, (void)team;
}
AQ_INLINE_ void gasnet_coll_set_tree_kind(gasnet_team_handle_t team, int kind, int fanout) {
  (void)team, (void)kind, (void)fanout;
}
AQ_INLINE_ void gasnet_coll_set_dissem_limit(gasnet_team_handle_t team, size_t bytes) {
  (void)team, (void)bytes;
}
AQ_INLINE_ uint32_t gasnet_coll_get_num_tree_classes(gasnet_team_handle_t team, gasnet_coll_optype_t optype) {
  (void)team, (void)optype;
  return 0;
}

/* As gex_Event_Test() and the rest, but a test polls. */
#define gasnet_coll_try_sync(handle) (gasnet_AMPoll(), gex_Event_Test(handle))
#define gasnet_coll_try_sync_some(handles, count) (gasnet_AMPoll(), gex_Event_TestSome(handles, count, 0))
#define gasnet_coll_try_sync_all(handles, count) (gasnet_AMPoll(), gex_Event_TestAll(handles, count, 0))
#define gasnet_coll_wait_sync(handle) gex_Event_Wait(handle)
#define gasnet_coll_wait_sync_some(handles, count) gex_Event_WaitSome(handles, count, 0)
#define gasnet_coll_wait_sync_all(handles, count) gex_Event_WaitAll(handles, count, 0)

#ifdef AQ_AT_
#define gasnet_coll_broadcast(...) AQ_AT_(gasnet_coll_broadcast(__VA_ARGS__))
#define gasnet_coll_scatter(...) AQ_AT_(gasnet_coll_scatter(__VA_ARGS__))
#define gasnet_coll_gather(...) AQ_AT_(gasnet_coll_gather(__VA_ARGS__))
#define gasnet_coll_gather_all(...) AQ_AT_(gasnet_coll_gather_all(__VA_ARGS__))
#define gasnet_coll_exchange(...) AQ_AT_(gasnet_coll_exchange(__VA_ARGS__))
#define gasnet_coll_broadcast_nb(...) AQ_AT_(gasnet_coll_broadcast_nb(__VA_ARGS__))
#define gasnet_coll_scatter_nb(...) AQ_AT_(gasnet_coll_scatter_nb(__VA_ARGS__))
#define gasnet_coll_gather_nb(...) AQ_AT_(gasnet_coll_gather_nb(__VA_ARGS__))
#define gasnet_coll_gather_all_nb(...) AQ_AT_(gasnet_coll_gather_all_nb(__VA_ARGS__))
#define gasnet_coll_exchange_nb(...) AQ_AT_(gasnet_coll_exchange_nb(__VA_ARGS__))
#define gasnet_coll_barrier_notify(...) AQ_AT_(gasnet_coll_barrier_notify(__VA_ARGS__))
#define gasnet_coll_barrier_wait(...) AQ_AT_(gasnet_coll_barrier_wait(__VA_ARGS__))
#define gasnet_coll_barrier_try(...) AQ_AT_(gasnet_coll_barrier_try(__VA_ARGS__))
#define gasnet_coll_barrier(...) AQ_AT_(gasnet_coll_barrier(__VA_ARGS__))
#define gasnet_coll_barrier_result(...) AQ_AT_(gasnet_coll_barrier_result(__VA_ARGS__))
#endif

#endif
