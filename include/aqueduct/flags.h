/* Flag constants: what a gex_Flags_t may hold.
 *
 * Flags are grouped by the calls that take them. Within the flags one call can take, bits are disjoint; calls
 * of different groups reuse bits. All are plain unsigned constants, so that they also work in #if.
 */
#ifndef AQUEDUCT_FLAGS_H_
#define AQUEDUCT_FLAGS_H_

#include <stdint.h>

typedef uint32_t gex_Flags_t;

/* Communication calls (AM, RMA, VIS, atomics): give up, sending nothing, rather than wait for resources. */
#define GEX_FLAG_IMMEDIATE (1u << 0)

/* Communication calls: what the caller knows about the local (SELF) and remote (PEER) addresses. UNKNOWN,
 * SOME and BOUND are promises that need no action here. OFFSET: the address counts from the start of the
 * segment bound to that side's endpoint; for gex_RMA_* only. */
#define GEX_FLAG_SELF_SEG_UNKNOWN (1u << 3)
#define GEX_FLAG_SELF_SEG_SOME (1u << 4)
#define GEX_FLAG_SELF_SEG_BOUND (1u << 5)
#define GEX_FLAG_SELF_SEG_OFFSET (1u << 6)
#define GEX_FLAG_PEER_SEG_UNKNOWN (1u << 7)
#define GEX_FLAG_PEER_SEG_SOME (1u << 8)
#define GEX_FLAG_PEER_SEG_BOUND (1u << 9)
#define GEX_FLAG_PEER_SEG_OFFSET (1u << 10)

/* gex_AM_Max*, gex_Token_Max*: ask for the largest least_payload of a Prepare call with the client's buffer,
 * or with the library's. */
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT (1u << 11)
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC (1u << 12)

/* gex_VIS_Put*: the returned event has a local-completion leaf. */
#define GEX_FLAG_ENABLE_LEAF_LC (1u << 11)

/* gex_AD_Op*, gex_TM_Create: ranks are ranks in the job, not in the team. */
#define GEX_FLAG_RANK_IS_JOBRANK (1u << 13)

/* gex_RMA_*: a promise that the peer is not in this process / not a neighbour. Constant flags only pay off.
 */
#define GEX_FLAG_PEER_NEVER_NBRHD (1u << 14)
#define GEX_FLAG_PEER_NEVER_SELF (1u << 15)

/* gex_AD_Op*: where the target is, and which fences the operation carries. */
#define GEX_FLAG_AD_MY_RANK (1u << 16)
#define GEX_FLAG_AD_MY_NBRHD (1u << 17)
#define GEX_FLAG_AD_ACQ (1u << 18)
#define GEX_FLAG_AD_REL (1u << 19)

/* gex_AD_Create: which targets to be fast for. */
#define GEX_FLAG_AD_FAVOR_MY_RANK (1u << 20)
#define GEX_FLAG_AD_FAVOR_MY_NBRHD (1u << 21)
#define GEX_FLAG_AD_FAVOR_REMOTE (1u << 22)

/* gex_AM_Entry_t: how a handler may be called. One of the first group and one of the second, combined. */
#define GEX_FLAG_AM_SHORT (1u << 0)
#define GEX_FLAG_AM_MEDIUM (1u << 1)
#define GEX_FLAG_AM_LONG (1u << 2)
#define GEX_FLAG_AM_MEDLONG (GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG)
#define GEX_FLAG_AM_REQUEST (1u << 3)
#define GEX_FLAG_AM_REPLY (1u << 4)
#define GEX_FLAG_AM_REQREP (GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_REPLY)

/* gex_Client_Init: the client also uses gasnet.h / starts progress threads itself. */
#define GEX_FLAG_USES_GASNET1 (1u << 0)
#define GEX_FLAG_DEFER_THREADS (1u << 1)

/* gex_TM_Split, gex_TM_Create: ask for a scratch size, or say where scratch space is. */
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN (1u << 0)
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED (1u << 1)
#define GEX_FLAG_TM_GLOBAL_SCRATCH (1u << 2)
#define GEX_FLAG_TM_LOCAL_SCRATCH (1u << 3)
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH (1u << 4)
#define GEX_FLAG_TM_NO_SCRATCH (1u << 5)
#define GEX_FLAG_SCRATCH_SEG_OFFSET (1u << 6)

/* gex_TM_Destroy: everybody has already stopped using the team. */
#define GEX_FLAG_GLOBALLY_QUIESCED (1u << 13)

/* gex_EP_Create: what to be fast for. */
#define GEX_FLAG_HINT_ACCEL_AD (1u << 0)
#define GEX_FLAG_HINT_ACCEL_COLL (1u << 1)
#define GEX_FLAG_HINT_ACCEL_ALL (GEX_FLAG_HINT_ACCEL_AD | GEX_FLAG_HINT_ACCEL_COLL)

#endif
