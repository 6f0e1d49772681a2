/* In debug clients, every call that can fail first tells the library where in the client's source it stands,
 * so that an error can be reported with that position.
 *
 * Each is a macro of the function's own name around the function, which a client may #undef or put in
 * parentheses; taking the function's address still works.
 */
#ifndef AQUEDUCT_DETAIL_CALL_SITES_H_
#define AQUEDUCT_DETAIL_CALL_SITES_H_

#include "aqueduct/am.h"
#include "aqueduct/barrier.h"
#include "aqueduct/detail/am_call_sites.h"
#include "aqueduct/detail/am_commit_call_sites.h"
#include "aqueduct/detail/call_site.h"
#include "aqueduct/detail/checked_team.h"
#include "aqueduct/endpoint.h"
#include "aqueduct/event.h"
#include "aqueduct/job.h"
#include "aqueduct/lock.h"
#include "aqueduct/progress.h"
#include "aqueduct/rma.h"
#include "aqueduct/rma_value.h"
#include "aqueduct/segment.h"
#include "aqueduct/system.h"
#include "aqueduct/team.h"

#ifdef AQ_AT_

/* clang-format off */

#undef gex_Client_Init
#define gex_Client_Init(client_p, ep_p, tm_p, name, argc, argv, flags) \
  AQ_AT_(aq_client_init_(client_p, ep_p, tm_p, name, argc, argv, flags, AQ_START_CONFIG_))

#define gex_Client_QueryName(...) AQ_AT_(gex_Client_QueryName(__VA_ARGS__))
#define gex_Client_QueryFlags(...) AQ_AT_(gex_Client_QueryFlags(__VA_ARGS__))
#define gex_Client_SetCData(...) AQ_AT_(gex_Client_SetCData(__VA_ARGS__))
#define gex_Client_QueryCData(...) AQ_AT_(gex_Client_QueryCData(__VA_ARGS__))

#define gasnet_getNodeInfo(...) AQ_AT_(gasnet_getNodeInfo(__VA_ARGS__))
#define gex_System_QueryProgressThreads(...) AQ_AT_(gex_System_QueryProgressThreads(__VA_ARGS__))

#define gex_EP_RegisterHandlers(...) AQ_AT_(gex_EP_RegisterHandlers(__VA_ARGS__))
#define gex_EP_Create(...) AQ_AT_(gex_EP_Create(__VA_ARGS__))
#define gex_EP_BindSegment(...) AQ_AT_(gex_EP_BindSegment(__VA_ARGS__))
#define gex_EP_PublishBoundSegment(...) AQ_AT_(gex_EP_PublishBoundSegment(__VA_ARGS__))
#define gex_EP_QueryClient(...) AQ_AT_(gex_EP_QueryClient(__VA_ARGS__))
#define gex_EP_QueryFlags(...) AQ_AT_(gex_EP_QueryFlags(__VA_ARGS__))
#define gex_EP_QuerySegment(...) AQ_AT_(gex_EP_QuerySegment(__VA_ARGS__))
#define gex_EP_QueryIndex(...) AQ_AT_(gex_EP_QueryIndex(__VA_ARGS__))
#define gex_EP_SetCData(...) AQ_AT_(gex_EP_SetCData(__VA_ARGS__))
#define gex_EP_QueryCData(...) AQ_AT_(gex_EP_QueryCData(__VA_ARGS__))
#define gex_EP_QueryBoundSegmentNB(...) AQ_AT_(gex_EP_QueryBoundSegmentNB(__VA_ARGS__))

#define gex_TM_QueryClient(...) AQ_AT_(gex_TM_QueryClient(__VA_ARGS__))
#define gex_TM_QueryEP(...) AQ_AT_(gex_TM_QueryEP(__VA_ARGS__))
#define gex_TM_QueryFlags(...) AQ_AT_(gex_TM_QueryFlags(__VA_ARGS__))
#define gex_TM_QueryRank(...) AQ_AT_(gex_TM_QueryRank(__VA_ARGS__))
#define gex_TM_QuerySize(...) AQ_AT_(gex_TM_QuerySize(__VA_ARGS__))
#define gex_TM_SetCData(...) AQ_AT_(gex_TM_SetCData(__VA_ARGS__))
#define gex_TM_QueryCData(...) AQ_AT_(gex_TM_QueryCData(__VA_ARGS__))

#define gex_TM_TranslateRankToJobrank(...) AQ_AT_(gex_TM_TranslateRankToJobrank(__VA_ARGS__))
#define gex_TM_TranslateJobrankToRank(...) AQ_AT_(gex_TM_TranslateJobrankToRank(__VA_ARGS__))
#define gex_TM_TranslateRankToEP(...) AQ_AT_(gex_TM_TranslateRankToEP(__VA_ARGS__))
#define gex_TM_Pair(...) AQ_AT_(gex_TM_Pair(__VA_ARGS__))
#define gex_TM_Split(...) AQ_AT_(gex_TM_Split(__VA_ARGS__))
#define gex_TM_Create(...) AQ_AT_(gex_TM_Create(__VA_ARGS__))
#define gex_TM_Destroy(...) AQ_AT_(gex_TM_Destroy(__VA_ARGS__))

#define gasnet_getMaxLocalSegmentSize(...) AQ_AT_(gasnet_getMaxLocalSegmentSize(__VA_ARGS__))
#define gasnet_getMaxGlobalSegmentSize(...) AQ_AT_(gasnet_getMaxGlobalSegmentSize(__VA_ARGS__))
#define gex_Segment_Attach(...) AQ_AT_(gex_Segment_Attach(__VA_ARGS__))
#define gex_Segment_Create(...) AQ_AT_(gex_Segment_Create(__VA_ARGS__))
#define gex_Segment_Destroy(...) AQ_AT_(gex_Segment_Destroy(__VA_ARGS__))
#define gex_Segment_QueryClient(...) AQ_AT_(gex_Segment_QueryClient(__VA_ARGS__))
#define gex_Segment_QueryFlags(...) AQ_AT_(gex_Segment_QueryFlags(__VA_ARGS__))
#define gex_Segment_QueryAddr(...) AQ_AT_(gex_Segment_QueryAddr(__VA_ARGS__))
#define gex_Segment_QuerySize(...) AQ_AT_(gex_Segment_QuerySize(__VA_ARGS__))
#define gex_Segment_SetCData(...) AQ_AT_(gex_Segment_SetCData(__VA_ARGS__))
#define gex_Segment_QueryCData(...) AQ_AT_(gex_Segment_QueryCData(__VA_ARGS__))
#define gex_Segment_QueryBound(...) AQ_AT_(gex_Segment_QueryBound(__VA_ARGS__))
#define gasnet_getSegmentInfo(...) AQ_AT_(gasnet_getSegmentInfo(__VA_ARGS__))

#define gex_Token_Info(...) AQ_AT_(gex_Token_Info(__VA_ARGS__))
#define gex_AM_MaxRequestMedium(...) AQ_AT_(gex_AM_MaxRequestMedium(__VA_ARGS__))
#define gex_AM_MaxReplyMedium(...) AQ_AT_(gex_AM_MaxReplyMedium(__VA_ARGS__))
#define gex_AM_MaxRequestLong(...) AQ_AT_(gex_AM_MaxRequestLong(__VA_ARGS__))
#define gex_AM_MaxReplyLong(...) AQ_AT_(gex_AM_MaxReplyLong(__VA_ARGS__))
#define gex_Token_MaxReplyMedium(...) AQ_AT_(gex_Token_MaxReplyMedium(__VA_ARGS__))
#define gex_Token_MaxReplyLong(...) AQ_AT_(gex_Token_MaxReplyLong(__VA_ARGS__))

#define gasnet_AMPoll(...) AQ_AT_(gasnet_AMPoll(__VA_ARGS__))
#define gasnet_set_waitmode(...) AQ_AT_(gasnet_set_waitmode(__VA_ARGS__))

#define gex_Event_Test(...) AQ_AT_(gex_Event_Test(__VA_ARGS__))
#define gex_Event_Wait(...) AQ_AT_(gex_Event_Wait(__VA_ARGS__))
#define gex_Event_TestSome(...) AQ_AT_(gex_Event_TestSome(__VA_ARGS__))
#define gex_Event_WaitSome(...) AQ_AT_(gex_Event_WaitSome(__VA_ARGS__))
#define gex_Event_TestAll(...) AQ_AT_(gex_Event_TestAll(__VA_ARGS__))
#define gex_Event_WaitAll(...) AQ_AT_(gex_Event_WaitAll(__VA_ARGS__))
#define gex_Event_QueryLeaf(...) AQ_AT_(gex_Event_QueryLeaf(__VA_ARGS__))
#define gex_NBI_Test(...) AQ_AT_(gex_NBI_Test(__VA_ARGS__))
#define gex_NBI_Wait(...) AQ_AT_(gex_NBI_Wait(__VA_ARGS__))
#define gex_NBI_BeginAccessRegion(...) AQ_AT_(gex_NBI_BeginAccessRegion(__VA_ARGS__))
#define gex_NBI_EndAccessRegion(...) AQ_AT_(gex_NBI_EndAccessRegion(__VA_ARGS__))

#define gex_RMA_PutBlocking(tm, ...) AQ_AT_(gex_RMA_PutBlocking(AQ_TEAM_(gex_RMA_PutBlocking, tm), __VA_ARGS__))
#define gex_RMA_PutNB(tm, ...) AQ_AT_(gex_RMA_PutNB(AQ_TEAM_(gex_RMA_PutNB, tm), __VA_ARGS__))
#define gex_RMA_PutNBI(tm, ...) AQ_AT_(gex_RMA_PutNBI(AQ_TEAM_(gex_RMA_PutNBI, tm), __VA_ARGS__))
#define gex_RMA_GetBlocking(tm, ...) AQ_AT_(gex_RMA_GetBlocking(AQ_TEAM_(gex_RMA_GetBlocking, tm), __VA_ARGS__))
#define gex_RMA_GetNB(tm, ...) AQ_AT_(gex_RMA_GetNB(AQ_TEAM_(gex_RMA_GetNB, tm), __VA_ARGS__))
#define gex_RMA_GetNBI(tm, ...) AQ_AT_(gex_RMA_GetNBI(AQ_TEAM_(gex_RMA_GetNBI, tm), __VA_ARGS__))
#define gex_RMA_PutBlockingVal(tm, ...) AQ_AT_(gex_RMA_PutBlockingVal(AQ_TEAM_(gex_RMA_PutBlockingVal, tm), __VA_ARGS__))
#define gex_RMA_PutNBVal(tm, ...) AQ_AT_(gex_RMA_PutNBVal(AQ_TEAM_(gex_RMA_PutNBVal, tm), __VA_ARGS__))
#define gex_RMA_PutNBIVal(tm, ...) AQ_AT_(gex_RMA_PutNBIVal(AQ_TEAM_(gex_RMA_PutNBIVal, tm), __VA_ARGS__))
#define gex_RMA_GetBlockingVal(tm, ...) AQ_AT_(gex_RMA_GetBlockingVal(AQ_TEAM_(gex_RMA_GetBlockingVal, tm), __VA_ARGS__))

#define gex_Coll_BarrierNB(...) AQ_AT_(gex_Coll_BarrierNB(__VA_ARGS__))
#define gex_Coll_BarrierBlocking(...) AQ_AT_(gex_Coll_BarrierBlocking(__VA_ARGS__))
#define gasnet_barrier_notify(...) AQ_AT_(gasnet_barrier_notify(__VA_ARGS__))
#define gasnet_barrier_wait(...) AQ_AT_(gasnet_barrier_wait(__VA_ARGS__))
#define gasnet_barrier_try(...) AQ_AT_(gasnet_barrier_try(__VA_ARGS__))
#define gasnet_barrier(...) AQ_AT_(gasnet_barrier(__VA_ARGS__))
#define gasnet_barrier_result(...) AQ_AT_(gasnet_barrier_result(__VA_ARGS__))

#define gex_HSL_Init(...) AQ_AT_(gex_HSL_Init(__VA_ARGS__))
#define gex_HSL_Destroy(...) AQ_AT_(gex_HSL_Destroy(__VA_ARGS__))
#define gex_HSL_Lock(...) AQ_AT_(gex_HSL_Lock(__VA_ARGS__))
#define gex_HSL_Unlock(...) AQ_AT_(gex_HSL_Unlock(__VA_ARGS__))
#define gex_HSL_Trylock(...) AQ_AT_(gex_HSL_Trylock(__VA_ARGS__))

/* clang-format on */

#endif
#endif
