/* Endpoints.
 *
 * An endpoint is where messages arrive: it has a table of handlers and at most one bound segment. Queries may
 * be called by any thread, also in handlers, except as noted. An invalid handle ends the job.
 */
#ifndef AQUEDUCT_ENDPOINT_H_
#define AQUEDUCT_ENDPOINT_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

/* A handler: void handler(gex_Token_t token [, void *payload, size_t payload_bytes] [, gex_AM_Arg_t ...]).
 * Declared without parameters so that C clients need no cast; C++ clients cast. */
#if !defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*gex_AM_Fn_t)();
#if !defined(__cplusplus)
#pragma GCC diagnostic pop
#endif

/* A handler's registration. The last two fields may be left out of an initialiser. */
typedef struct {
  gex_AM_Index_t gex_index; /* GEX_AM_INDEX_BASE .. 255, or 0 to be given the highest free one */
  gex_AM_Fn_t gex_fnptr;
  gex_Flags_t gex_flags;  /* GEX_FLAG_AM_{SHORT,MEDIUM,LONG,MEDLONG} | GEX_FLAG_AM_{REQUEST,REPLY,REQREP} */
  unsigned int gex_nargs; /* at most gex_AM_MaxArgs() */
  const void* gex_cdata;  /* for the client; the handler finds it through gex_Token_Info */
  const char* gex_name;   /* for messages; must outlive the job; may be NULL */
} gex_AM_Entry_t;

AQ_BEGIN_C_

/* Adds handlers to an endpoint, in addition to those it has. Entries with index 0 get 255, 254, ... skipping
 * taken ones, in the table's order, and their gex_index is filled in; nothing else in the table is changed or
 * kept. Not collective: a message must not arrive before its handler is registered. Any thread; not in
 * handlers. GASNET_ERR_BAD_ARG, and nothing is registered, for an index out of range or taken, a NULL
 * function, flags that do not name one category and a direction, or too many arguments; GASNET_ERR_RESOURCE
 * when no index is free. */
AQ_API_ int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t* table, size_t count);

/* Makes another endpoint of this process, not collective, with the lowest unused index: without a bound
 * segment, in no team, with a table of handlers of its own. A message that it has no handler for goes to the
 * one of endpoint 0. `capabilities`: what it is to be used for, of GEX_EP_CAPABILITY_*. Flags:
 * GEX_FLAG_HINT_ACCEL_*. GASNET_ERR_BAD_ARG for a NULL pointer, no or unknown capabilities or flags;
 * GASNET_ERR_RESOURCE for more than GASNET_MAXEPS endpoints. Any thread; not in handlers. Endpoints last
 * until the job ends. */
AQ_API_ int gex_EP_Create(gex_EP_t* ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                          gex_Flags_t flags);

/* Binds a segment to an endpoint that has none; a segment may be bound to several. Flags must be 0.
 * GASNET_ERR_BAD_ARG if an argument is invalid or a segment is bound already. Not while other calls use the
 * endpoint; not in handlers. */
AQ_API_ int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags);

/* Collective over `tm`: tells its members which segments are bound to the listed endpoints of this process,
 * any number of them, so that members may put, get and send long messages there. Flags must be 0. The
 * endpoints must be idle. One thread; not in handlers. */
AQ_API_ int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t count, gex_Flags_t flags);

AQ_API_ gex_Client_t gex_EP_QueryClient(gex_EP_t ep);
AQ_API_ gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep);
AQ_API_ gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep); /* GEX_SEGMENT_INVALID if none is bound */
AQ_API_ gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep);
AQ_API_ void gex_EP_SetCData(gex_EP_t ep, const void* value);
AQ_API_ void* gex_EP_QueryCData(gex_EP_t ep);

/* Where the segment bound to the endpoint (tm, rank) lies: its address for its owner, its address in this
 * process (NULL if not mapped here), its size. Any output may be NULL. Size 0 means that there is none. The
 * outputs hold when the returned event is done. With GEX_FLAG_IMMEDIATE it never communicates, so that it is
 * legal in handlers, and returns GEX_EVENT_NO_OP if it would have to; it never has to for an endpoint of this
 * process. */
AQ_API_ gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owner_address_p,
                                               void** local_address_p, uintptr_t* size_p, gex_Flags_t flags);

AQ_END_C_

#endif
