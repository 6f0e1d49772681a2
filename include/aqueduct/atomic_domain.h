/* Atomic domains: which team, element type and operations a set of remote atomics uses.
 *
 * During a phase of atomic accesses a location is accessed through one domain only. Here all domains use the
 * same means, the atomic instructions of the processor that owns the memory, so that a barrier between two
 * phases is enough. Any thread; creating and destroying not in handlers. An invalid handle ends the job.
 */
#ifndef AQUEDUCT_ATOMIC_DOMAIN_H_
#define AQUEDUCT_ATOMIC_DOMAIN_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/reach.h"
#include "gasnet_fwd.h"

/* The beginning of what a gex_AD_t points to; it never changes. It begins as its team does, so that looking
 * for a peer takes no way round over the team. */
struct aq_ad_view_ {
  struct aq_team_view_ members_;
  gex_TM_t team_;
  gex_DT_t type_;
  gex_OP_t operations_;
  gex_Flags_t library_flags_; /* operations with one of these are not done in the header */
};

AQ_BEGIN_C_

/* Collective over the team, with equal arguments: makes a domain for the operations in `ops` (GEX_OP_*, one
 * or more) on elements of `type` (GEX_DT_*, one). Does not synchronise. Flags: at most one of
 * GEX_FLAG_AD_FAVOR_*. GEX_FLAG_AD_FAVOR_REMOTE gives the domain to a network that has such atomics itself,
 * also operations on memory of neighbours; the others are hints that make no difference here. A type or an
 * operation that atomics do not have, or that the type does not have, ends the job. */
AQ_API_ void gex_AD_Create(gex_AD_t* domain_p, gex_TM_t tm, gex_DT_t type, gex_OP_t ops, gex_Flags_t flags);

/* Collective over the team; all operations of all ranks are complete. Does not synchronise. */
AQ_API_ void gex_AD_Destroy(gex_AD_t domain);

/* What the domain was created with, and one pointer that the client may keep there; NULL at first. Also in
 * handlers. */
AQ_API_ gex_Flags_t gex_AD_QueryFlags(gex_AD_t domain);
AQ_API_ gex_TM_t gex_AD_QueryTM(gex_AD_t domain);
AQ_API_ gex_DT_t gex_AD_QueryDT(gex_AD_t domain);
AQ_API_ gex_OP_t gex_AD_QueryOps(gex_AD_t domain);
AQ_API_ void gex_AD_SetCData(gex_AD_t domain, const void* value);
AQ_API_ void* gex_AD_QueryCData(gex_AD_t domain);

AQ_END_C_

#endif
