/* Segments: the memory of a rank that others may put to and get from. */
#ifndef AQUEDUCT_SEGMENT_H_
#define AQUEDUCT_SEGMENT_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

typedef struct {
  void* addr; /* for its owner */
  uintptr_t size;
} gasnet_seginfo_t;

AQ_BEGIN_C_

/* The largest segment that this rank / every rank may attach; multiples of GASNET_PAGESIZE. Constant for
 * the job. */
AQ_API_ uintptr_t gasnet_getMaxLocalSegmentSize(void);
AQ_API_ uintptr_t gasnet_getMaxGlobalSegmentSize(void);

/* Collective over the team of all ranks, once, by one thread: makes this rank's segment, zero-filled and
 * page-aligned, and binds it to endpoint 0. Sizes may differ between ranks. Returns when every rank can reach
 * every segment, or has learnt that some rank could not make its own. GASNET_ERR_BAD_ARG: the size is 0, no
 * multiple of GASNET_PAGESIZE or above gasnet_getMaxLocalSegmentSize(), the team is another one, or segment_p
 * is NULL. GASNET_ERR_RESOURCE: there is no room, or another rank failed. GASNET_ERR_NOT_INIT: a segment is
 * attached already. */
AQ_API_ int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size);

/* Makes a segment of this process, not collective: over the client's memory at `address`, which must stay
 * mapped until the segment is destroyed, or, for NULL, over new zeroed memory of at least `length` bytes that
 * neighbours can reach directly. It is of use when it is bound and published (endpoint.h). Flags must be 0.
 * GASNET_ERR_BAD_ARG for an invalid argument, length 0, or new memory of more than
 * gasnet_getMaxLocalSegmentSize(); GASNET_ERR_RESOURCE if there is no room. Any thread; not in handlers.
 * With the kind of a device: over memory of that device, the client's or new, uninitialised memory; BAD_ARG
 * also for an address that is not the device's and for more than was allocated there. Such a segment is for
 * endpoints other than the first, and for put and get alone. A long reply (gex_AM_ReplyLong) to client memory
 * in another process is limited to gex_AM_LUBReplyMedium(). */
AQ_API_ int gex_Segment_Create(gex_Segment_t* segment_p, gex_Client_t client, gex_Addr_t address,
                               uintptr_t length, gex_MK_t kind, gex_Flags_t flags);
/* Destroys a created segment that nobody uses any more; frees memory that the library had provided. Flags
 * must be 0. */
AQ_API_ void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags);

/* Any thread, also in handlers. */
AQ_API_ gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment);
AQ_API_ gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment);
AQ_API_ void* gex_Segment_QueryAddr(gex_Segment_t segment);
AQ_API_ uintptr_t gex_Segment_QuerySize(gex_Segment_t segment);
AQ_API_ void gex_Segment_SetCData(gex_Segment_t segment, const void* value);
AQ_API_ void* gex_Segment_QueryCData(gex_Segment_t segment);

/* The blocking, older form of gex_EP_QueryBoundSegmentNB: non-zero, and outputs untouched, if there is no
 * segment. Not in handlers. */
AQ_API_ int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owner_address_p,
                                   void** local_address_p, uintptr_t* size_p);

/* Fills in the segments of the first `count` ranks of the job. GASNET_ERR_NOT_INIT before attaching,
 * GASNET_ERR_BAD_ARG for NULL or a count beyond the job. */
AQ_API_ int gasnet_getSegmentInfo(gasnet_seginfo_t* table, int count);

AQ_END_C_

#endif
