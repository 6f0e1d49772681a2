/* The start of a job in GASNet-1, and the way from there to the objects of gasnetex.h. */
#ifndef AQUEDUCT_LEGACY_JOB_H_
#define AQUEDUCT_LEGACY_JOB_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/call_site.h"
#include "aqueduct/identity.h"
#include "aqueduct/legacy/types.h"
#include "aqueduct/system.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

/* int gasnet_init(int *argc, char ***argv): as gex_Client_Init, and allows the calls of gasnet.h. Until
 * gasnet_attach only gasnet_mynode, gasnet_nodes, gasnet_getenv, gasnet_getMax*SegmentSize and gasnet_exit
 * may follow. GASNET_ERR_NOT_INIT on a second call. */
#define gasnet_init(argc, argv) aq_legacy_init_(argc, argv, AQ_START_CONFIG_)
AQ_API_ int aq_legacy_init_(int* argc, char*** argv, uint32_t client_config);

/* Collective, once: registers the handlers, fills in the indices of those that gave 0, and attaches a segment
 * of `segsize` bytes (at least one page). `minheapoffset` is ignored. GASNET_ERR_NOT_INIT before gasnet_init
 * or on a second call; otherwise as gex_EP_RegisterHandlers and gex_Segment_Attach. */
AQ_API_ int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                          uintptr_t minheapoffset);

/* The client, endpoint 0, the team of all ranks, and the segment (GEX_SEGMENT_INVALID before it is attached).
 * Any output may be NULL. Any thread, also in handlers. */
AQ_API_ void gasnet_QueryGexObjects(gex_Client_t* client_p, gex_EP_t* endpoint_p, gex_TM_t* tm_p,
                                    gex_Segment_t* segment_p);

/* The team of all ranks, if the client may use gasnet.h, otherwise 0. Set once, at the start; never in a
 * simulation, where there are many: then the caller's is asked for, and it is an error if it has none. */
AQ_API_DATA_ gex_TM_t aq_legacy_world_;
AQ_API_ gex_TM_t aq_no_legacy_world_(void);

AQ_END_C_

AQ_ALWAYS_INLINE_ gex_TM_t aq_legacy_team_(void) {
  return AQ_LIKELY_(aq_legacy_world_) ? aq_legacy_world_ : aq_no_legacy_world_();
}

#ifdef AQ_AT_
#undef gasnet_init
#define gasnet_init(argc, argv) AQ_AT_(aq_legacy_init_(argc, argv, AQ_START_CONFIG_))
#define gasnet_attach(...) AQ_AT_(gasnet_attach(__VA_ARGS__))
#define gasnet_QueryGexObjects(...) AQ_AT_(gasnet_QueryGexObjects(__VA_ARGS__))
#endif

#define gasnet_mynode() gex_System_QueryJobRank()
#define gasnet_nodes() gex_System_QueryJobSize()
#define gasneti_mynode (gex_System_QueryJobRank()) /* no part of the interface, but programs read it */

/* Signals never interrupt a thread to run a handler here, so there is nothing to hold back. */
#define gasnet_hold_interrupts() ((void)0)
#define gasnet_resume_interrupts() ((void)0)

#endif
