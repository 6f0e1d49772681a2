/* Neighbours' memory: from (team, rank, address at that rank) to an address here.
 *
 * The library keeps, for each team, a table with one entry per rank that says where its segment lies in its
 * own address space and how far to shift such an address to reach the same byte in ours. The headers read it
 * to turn a put or get on a neighbour's segment into a copy. Entries change only in collective calls
 * (gex_Segment_Attach), so that reading needs no synchronisation. Who is left to the library, which looks for
 * messages now and then, has an empty entry: the rank itself, and all others in a job with a network.
 */
#ifndef AQUEDUCT_DETAIL_REACH_H_
#define AQUEDUCT_DETAIL_REACH_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/world_view.h"
#include "gasnet_fwd.h"

/* What is known of the memory of a team's member. 0 if the rank is outside the team, or if `tm` is a pair of
 * endpoints. */
AQ_ALWAYS_INLINE_ int aq_peer_(gex_TM_t tm, gex_Rank_t rank, const struct aq_peer_view_** peer) {
  const struct aq_team_view_* team;
  if (AQ_LIKELY_(tm == aq_world_.team_)) {
    if (!AQ_LIKELY_(rank < aq_world_.size_)) return 0;
    *peer = &aq_world_.peers_[rank];
    return 1;
  }
  if ((uintptr_t)tm & 1) return 0;
  team = (const struct aq_team_view_*)(const void*)tm;
  if (rank >= team->size_) return 0;
  *peer = &team->peers_[rank];
  return 1;
}

/* Whether all of [address, address + nbytes) at a peer is inside its segment, and that is mapped here;
 * `*here` is then our address of it.
 *
 * A range that begins before the segment has an offset so large that its end is beyond all numbers or behind
 * the segment, so two comparisons tell all. */
AQ_ALWAYS_INLINE_ int aq_reach_peer_(const struct aq_peer_view_* peer, const void* address, size_t nbytes,
                                     void** here) {
  uintptr_t end;
  if (!AQ_LIKELY_(!__builtin_add_overflow((uintptr_t)address - peer->base_, (uintptr_t)nbytes, &end)))
    return 0;
  if (!AQ_LIKELY_(end <= peer->size_)) return 0;
  *here = (void*)((uintptr_t)address + (uintptr_t)peer->shift_);
  return 1;
}

/* The same of a team's member. */
AQ_ALWAYS_INLINE_ int aq_reach_(gex_TM_t tm, gex_Rank_t rank, const void* address, size_t nbytes,
                                void** here) {
  const struct aq_peer_view_* peer;
  return aq_peer_(tm, rank, &peer) && aq_reach_peer_(peer, address, nbytes, here);
}

#endif
