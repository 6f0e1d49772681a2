/* Neighbours' memory: from (team, rank, address at that rank) to an address here, and copying.
 *
 * The library keeps, for each team, a table with one entry per rank that says where its segment lies in its
 * own address space and how far to shift such an address to reach the same byte in ours. The headers read it
 * to turn a put or get on a neighbour's segment into a copy. Entries change only in collective calls
 * (gex_Segment_Attach), so that reading needs no synchronisation.
 */
#ifndef AQUEDUCT_REACH_H_
#define AQUEDUCT_REACH_H_

#include <string.h>

#include "aqueduct/attributes.h"
#include "gasnet_fwd.h"

struct aq_peer_view_ {
  uintptr_t base_; /* the segment's first byte, for its owner */
  uintptr_t size_; /* 0 if it cannot be reached from here */
  intptr_t shift_; /* our address of a byte minus its owner's */
  uintptr_t spare_;
};

/* The beginning of what a gex_TM_t points to. */
struct aq_team_view_ {
  const struct aq_peer_view_* peers_;
  gex_Rank_t size_;
  gex_Rank_t rank_;
};

/* Our address of [address, address + nbytes) at `rank`; NULL if that is not all inside a segment mapped here,
 * if the rank is outside the team, or if `tm` is a pair of endpoints. */
AQ_ALWAYS_INLINE_ void* aq_reach_(gex_TM_t tm, gex_Rank_t rank, const void* address, size_t nbytes) {
  const struct aq_team_view_* team;
  const struct aq_peer_view_* peer;
  uintptr_t offset;
  if ((uintptr_t)tm & 1) return NULL;
  team = (const struct aq_team_view_*)(const void*)tm;
  if (rank >= team->size_) return NULL;
  peer = &team->peers_[rank];
  offset = (uintptr_t)address - peer->base_;
  if (offset >= peer->size_ || nbytes > peer->size_ - offset) return NULL;
  return (void*)((uintptr_t)address + (uintptr_t)peer->shift_);
}

/* memcpy, with the two sizes that matter most recognised at run time where the compiler cannot see the size.
 */
AQ_ALWAYS_INLINE_ void aq_copy_(void* to, const void* from, size_t nbytes) {
  if (!__builtin_constant_p(nbytes)) {
    /* Hides what the compiler knows about the buffers: it would warn that 8 bytes do not fit into a smaller
     * object, in a branch that is not taken for it. */
    __asm__("" : "+r"(to), "+r"(from));
    if (nbytes == 8) {
      memcpy(to, from, 8);
      return;
    }
    if (nbytes == 4) {
      memcpy(to, from, 4);
      return;
    }
  }
  memcpy(to, from, nbytes);
}

#endif
