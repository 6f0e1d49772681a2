/* Put and get.
 *
 * The remote range must lie in the segment bound to the endpoint (tm, rank); the local one may lie anywhere.
 * They must not overlap. A range outside the segment or a rank outside the team ends the job. Blocking calls
 * return when the data is in place; NB calls return an event; NBI calls add to this thread's implicit
 * operations (event.h). `lc`: GEX_EVENT_NOW, GEX_EVENT_DEFER, or, for NB, the address of an event, for NBI,
 * GEX_EVENT_GROUP. With GEX_FLAG_IMMEDIATE, and only then, an int result may be non-zero and an event
 * GEX_EVENT_NO_OP: nothing was done. Any thread, not in handlers; the calls may poll.
 *
 * On a neighbour's segment each is a copy, made here unless it is to look for messages (reach.h), and
 * complete on return. Everything else goes into the library.
 */
#ifndef AQUEDUCT_RMA_H_
#define AQUEDUCT_RMA_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/copy.h"
#include "aqueduct/detail/reach.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

AQ_API_ int aq_put_blocking_(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source,
                             size_t nbytes, gex_Flags_t flags);
AQ_API_ gex_Event_t aq_put_nb_(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source,
                               size_t nbytes, gex_Event_t* lc, gex_Flags_t flags);
AQ_API_ int aq_put_nbi_(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source, size_t nbytes,
                        gex_Event_t* lc, gex_Flags_t flags);
AQ_API_ int aq_get_blocking_(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source, size_t nbytes,
                             gex_Flags_t flags);
AQ_API_ gex_Event_t aq_get_nb_(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source, size_t nbytes,
                               gex_Flags_t flags);
AQ_API_ int aq_get_nbi_(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source, size_t nbytes,
                        gex_Flags_t flags);

AQ_END_C_

/* Whether to look for the peer among the neighbours: not if the caller denies it, nor if addresses are
 * offsets. With constant flags this costs nothing. */
AQ_ALWAYS_INLINE_ int aq_may_reach_(gex_Flags_t flags) {
  return !(flags & (GEX_FLAG_PEER_NEVER_NBRHD | GEX_FLAG_SELF_SEG_OFFSET | GEX_FLAG_PEER_SEG_OFFSET));
}

/* Local completion has happened: stores that into the client's event, if `lc` is the address of one, as it
 * mostly is where the compiler cannot see what it is. */
AQ_ALWAYS_INLINE_ void aq_locally_complete_(gex_Event_t* lc) {
  if (AQ_LIKELY_((uintptr_t)lc > (uintptr_t)GEX_EVENT_GROUP)) *lc = GEX_EVENT_INVALID;
}

AQ_ALWAYS_INLINE_ int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source,
                                          size_t nbytes, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_may_reach_(flags) && aq_reach_(tm, rank, destination, nbytes, &to)))
    return aq_put_blocking_(tm, rank, destination, source, nbytes, flags);
  aq_copy_(to, source, nbytes);
  return 0;
}

AQ_ALWAYS_INLINE_ gex_Event_t gex_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void* destination,
                                            const void* source, size_t nbytes, gex_Event_t* lc,
                                            gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_may_reach_(flags) && aq_reach_(tm, rank, destination, nbytes, &to)))
    return aq_put_nb_(tm, rank, destination, source, nbytes, lc, flags);
  aq_copy_(to, source, nbytes);
  aq_locally_complete_(lc);
  return GEX_EVENT_INVALID;
}

AQ_ALWAYS_INLINE_ int gex_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void* destination, const void* source,
                                     size_t nbytes, gex_Event_t* lc, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_may_reach_(flags) && aq_reach_(tm, rank, destination, nbytes, &to)))
    return aq_put_nbi_(tm, rank, destination, source, nbytes, lc, flags);
  aq_copy_(to, source, nbytes);
  return 0;
}

AQ_ALWAYS_INLINE_ int gex_RMA_GetBlocking(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source,
                                          size_t nbytes, gex_Flags_t flags) {
  void* from;
  if (!AQ_LIKELY_(aq_may_reach_(flags) && aq_reach_(tm, rank, source, nbytes, &from)))
    return aq_get_blocking_(tm, destination, rank, source, nbytes, flags);
  aq_copy_(destination, from, nbytes);
  return 0;
}

AQ_ALWAYS_INLINE_ gex_Event_t gex_RMA_GetNB(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source,
                                            size_t nbytes, gex_Flags_t flags) {
  void* from;
  if (!AQ_LIKELY_(aq_may_reach_(flags) && aq_reach_(tm, rank, source, nbytes, &from)))
    return aq_get_nb_(tm, destination, rank, source, nbytes, flags);
  aq_copy_(destination, from, nbytes);
  return GEX_EVENT_INVALID;
}

AQ_ALWAYS_INLINE_ int gex_RMA_GetNBI(gex_TM_t tm, void* destination, gex_Rank_t rank, void* source,
                                     size_t nbytes, gex_Flags_t flags) {
  void* from;
  if (!AQ_LIKELY_(aq_may_reach_(flags) && aq_reach_(tm, rank, source, nbytes, &from)))
    return aq_get_nbi_(tm, destination, rank, source, nbytes, flags);
  aq_copy_(destination, from, nbytes);
  return 0;
}

#endif
