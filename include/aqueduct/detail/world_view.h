/* What operations on neighbours' memory read each time, at the end of one page: the team of all ranks once
 * more, and how to copy.
 *
 * Operations in the team of all ranks do not wait for what its handle points to: aq_world_ says the same, so
 * that two loads, not three, stand between a put and the address that it writes to. Until that is known a
 * processor can neither finish the copy's last branch nor tell later loads apart from its stores.
 *
 * At the end of a page, because clients' buffers often begin with one, and a processor holds up a load whose
 * address has the same last 12 bits as a store under way.
 */
#ifndef AQUEDUCT_DETAIL_WORLD_VIEW_H_
#define AQUEDUCT_DETAIL_WORLD_VIEW_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

struct aq_peer_view_ {
  uintptr_t base_;      /* the segment's first byte, for its owner */
  uintptr_t size_;      /* 0 if it cannot be reached from here */
  intptr_t shift_;      /* our address of a byte minus its owner's */
  uintptr_t is_mapped_; /* 1 if it is mapped here, also where inline code is kept out */
};

/* The beginning of what a gex_TM_t points to. */
struct aq_team_view_ {
  const struct aq_peer_view_* peers_;
  gex_Rank_t size_;
  gex_Rank_t rank_;
};

struct aq_world_view_ {
  char before_[4096 - 64];
  gex_TM_t team_; /* of all ranks; none in a simulation, where there are many */
  const struct aq_peer_view_* peers_;
  gex_Rank_t size_;
  uint32_t puts_signal_; /* not 0 once any thread has called gex_VIS_SetPeerCompletionHandler */
  size_t vector_bytes_;  /* up to this size copy.h may use vectors: 256, or 0 if the processor has none */
  void* (*copy_)(void* to, const void* from, size_t nbytes); /* memcpy, or what is faster above 64 bytes */
  char after_[64 - 40];
} __attribute__((__aligned__(4096)));

AQ_BEGIN_C_
AQ_API_DATA_ struct aq_world_view_ aq_world_;
AQ_END_C_

#endif
