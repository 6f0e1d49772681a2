/* The types and constants of the GASNet-EX interface, without any function.
 *
 * For headers of clients that must name handles or flags but should not bring in all of gasnetex.h. Needs no
 * threading mode, and includes only <stddef.h> and <stdint.h>.
 */
#ifndef _INCLUDED_GASNET_FWD_H
#define _INCLUDED_GASNET_FWD_H 1

#include <stddef.h>
#include <stdint.h>

#include "aqueduct/flags.h"
#include "aqueduct/operations.h"
#include "gasnet_config.h"

/* Handles. The library owns what they point to; 0 is never a valid one. */
typedef struct aq_client_* gex_Client_t;
typedef struct aq_ep_* gex_EP_t;
typedef struct aq_tm_* gex_TM_t; /* odd values are pairs of endpoints, not pointers */
typedef struct aq_segment_* gex_Segment_t;
typedef struct aq_mk_* gex_MK_t;
typedef struct aq_ad_* gex_AD_t;
typedef struct aq_event_* gex_Event_t;
typedef struct aq_token_* gex_Token_t;
typedef struct aq_source_descriptor_* gex_AM_SrcDesc_t;

#define GEX_CLIENT_INVALID ((gex_Client_t)(uintptr_t)0)
#define GEX_EP_INVALID ((gex_EP_t)(uintptr_t)0)
#define GEX_TM_INVALID ((gex_TM_t)(uintptr_t)0)
#define GEX_SEGMENT_INVALID ((gex_Segment_t)(uintptr_t)0)
#define GEX_MK_INVALID ((gex_MK_t)(uintptr_t)0)
#define GEX_MK_HOST ((gex_MK_t)(uintptr_t)1)
#define GEX_AD_INVALID ((gex_AD_t)(uintptr_t)0)
#define GEX_AM_SRCDESC_NO_OP ((gex_AM_SrcDesc_t)(uintptr_t)0)

/* Returned in place of an event: the operation is already complete / was not started (IMMEDIATE). */
#define GEX_EVENT_INVALID ((gex_Event_t)(uintptr_t)0)
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)1)

/* Passed in place of the address of an event: local completion before the call returns / no later than the
 * operation's own / as part of this thread's implicit operations. */
#define GEX_EVENT_NOW ((gex_Event_t*)(uintptr_t)1)
#define GEX_EVENT_DEFER ((gex_Event_t*)(uintptr_t)2)
#define GEX_EVENT_GROUP ((gex_Event_t*)(uintptr_t)3)

/* A position in a team, or the size of one. */
typedef uint32_t gex_Rank_t;
#define GEX_RANK_INVALID (~(gex_Rank_t)0)

/* An endpoint's number in its process; the one that gex_Client_Init makes is 0. */
typedef uint16_t gex_EP_Index_t;

typedef struct {
  gex_Rank_t gex_rank; /* in the job */
  gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;

typedef uint32_t gex_EP_Capabilities_t;
#define GEX_EP_CAPABILITY_RMA (1u << 0)
#define GEX_EP_CAPABILITY_AM (1u << 1)
#define GEX_EP_CAPABILITY_VIS (1u << 2)
#define GEX_EP_CAPABILITY_COLL (1u << 3)
#define GEX_EP_CAPABILITY_AD (1u << 4)
#define GEX_EP_CAPABILITY_ALL 31u

typedef void* gex_Addr_t;

typedef struct {
  void* gex_addr;
  size_t gex_len;
} gex_Memvec_t;

/* What value put and get carry; the low-order bytes count. */
typedef uint64_t gex_RMA_Value_t;

/* Active messages. A client's handlers have the indices GEX_AM_INDEX_BASE .. 255. */
typedef uint8_t gex_AM_Index_t;
typedef int32_t gex_AM_Arg_t;
#define GEX_AM_INDEX_BASE 128

/* Facts about a token, as a set. */
typedef uint32_t gex_TI_t;
#define GEX_TI_SRCRANK (1u << 0)
#define GEX_TI_EP (1u << 1)
#define GEX_TI_ENTRY (1u << 2)
#define GEX_TI_IS_REQ (1u << 3)
#define GEX_TI_IS_LONG (1u << 4)
#define GEX_TI_ALL 31u

/* Categories of implicit operations and of leaf events, as a set. */
typedef uint32_t gex_EC_t;
#define GEX_EC_GET (1u << 0)
#define GEX_EC_PUT (1u << 1)
#define GEX_EC_AM (1u << 2)
#define GEX_EC_LC (1u << 3)
#define GEX_EC_RMW (1u << 4)
#define GEX_EC_ALL (~0u)

/* What a progress thread does, as a set. */
#define GEX_THREAD_ROLE_RCV (1u << 0)
#define GEX_THREAD_ROLE_SND (1u << 1)

#endif
