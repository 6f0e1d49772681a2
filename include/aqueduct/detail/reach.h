/* Neighbours' memory: from (team, rank, address at that rank) to an address here, and copying.
 *
 * The library keeps, for each team, a table with one entry per rank that says where its segment lies in its
 * own address space and how far to shift such an address to reach the same byte in ours. The headers read it
 * to turn a put or get on a neighbour's segment into a copy. Entries change only in collective calls
 * (gex_Segment_Attach), so that reading needs no synchronisation. Who is left to the library, which looks for
 * messages now and then, has an empty entry: the rank itself, and all others in a job with a network.
 *
 * Operations in the team of all ranks do not wait for what its handle points to: aq_world_ says the same, so
 * that two loads, not three, stand between a put and the address that it writes to. Until that is known a
 * processor can neither finish the copy's last branch nor tell later loads apart from its stores.
 */
#ifndef AQUEDUCT_DETAIL_REACH_H_
#define AQUEDUCT_DETAIL_REACH_H_

#include <string.h>

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

/* The team of all ranks once more; none in a simulation, where there are many. */
struct aq_world_view_ {
  gex_TM_t team_;
  const struct aq_peer_view_* peers_;
  gex_Rank_t size_;
} __attribute__((__aligned__(64)));

AQ_BEGIN_C_
AQ_API_DATA_ struct aq_world_view_ aq_world_;
AQ_END_C_

/* Whether all of [address, address + nbytes) at `rank` is inside a segment mapped here; `*here` is then our
 * address of it. Not if the rank is outside the team, or if `tm` is a pair of endpoints.
 *
 * A range that begins before the segment has an offset so large that its end is beyond all numbers or behind
 * the segment, so two comparisons tell all. */
AQ_ALWAYS_INLINE_ int aq_reach_(gex_TM_t tm, gex_Rank_t rank, const void* address, size_t nbytes,
                                void** here) {
  const struct aq_peer_view_* peer;
  uintptr_t end;
  if (AQ_LIKELY_(tm == aq_world_.team_)) {
    if (!AQ_LIKELY_(rank < aq_world_.size_)) return 0;
    peer = &aq_world_.peers_[rank];
  } else {
    const struct aq_team_view_* const team = (const struct aq_team_view_*)(const void*)tm;
    if ((uintptr_t)tm & 1) return 0;
    if (rank >= team->size_) return 0;
    peer = &team->peers_[rank];
  }
  if (!AQ_LIKELY_(!__builtin_add_overflow((uintptr_t)address - peer->base_, (uintptr_t)nbytes, &end)))
    return 0;
  if (!AQ_LIKELY_(end <= peer->size_)) return 0;
  *here = (void*)((uintptr_t)address + (uintptr_t)peer->shift_);
  return 1;
}

/* Copies between one and two times as many bytes as `kind` has: the first and the last, which may overlap. */
#define AQ_COPY_ENDS_(kind, to, from, nbytes)                                      \
  do {                                                                             \
    kind first_, last_;                                                            \
    memcpy(&first_, (from), sizeof first_);                                        \
    memcpy(&last_, (const char*)(from) + ((nbytes) - sizeof last_), sizeof last_); \
    memcpy((to), &first_, sizeof first_);                                          \
    memcpy((char*)(to) + ((nbytes) - sizeof last_), &last_, sizeof last_);         \
  } while (0)

struct aq_16_bytes_ {
  uint64_t low_, high_;
};

/* memcpy of at most 8 bytes; 4 or 8 are written by one store. */
AQ_ALWAYS_INLINE_ void aq_copy_word_(void* to, const void* from, size_t nbytes) {
  if (nbytes == 8) {
    memcpy(to, from, 8);
  } else if (nbytes == 4) {
    memcpy(to, from, 4);
  } else if (nbytes > 4) {
    AQ_COPY_ENDS_(uint32_t, to, from, nbytes);
  } else if (nbytes > 1) {
    AQ_COPY_ENDS_(uint16_t, to, from, nbytes);
  } else if (nbytes == 1) {
    *(char*)to = *(const char*)from;
  }
}

/* The first and the last 32 bytes of at least 32, which may overlap: all are read before any is written. */
AQ_ALWAYS_INLINE_ void aq_copy_line_(void* to, const void* from, size_t nbytes) {
  struct aq_16_bytes_ first_, second_, third_, last_;
  memcpy(&first_, from, 16);
  memcpy(&second_, (const char*)from + 16, 16);
  memcpy(&third_, (const char*)from + (nbytes - 32), 16);
  memcpy(&last_, (const char*)from + (nbytes - 16), 16);
  memcpy(to, &first_, 16);
  memcpy((char*)to + 16, &second_, 16);
  memcpy((char*)to + (nbytes - 32), &third_, 16);
  memcpy((char*)to + (nbytes - 16), &last_, 16);
}

/* memcpy; where the compiler cannot see the size, at most 64 bytes are copied here, without a call. More are
 * left to memcpy at once: it has wider registers than we may use, and each further comparison costs as much
 * as the call. */
AQ_ALWAYS_INLINE_ void aq_copy_(void* to, const void* from, size_t nbytes) {
  if (!__builtin_constant_p(nbytes)) {
    /* Hides what the compiler knows about the buffers: it would warn that 8 bytes do not fit into a smaller
     * object, in a branch that is not taken for it. */
    __asm__("" : "+r"(to), "+r"(from));
    if (nbytes > 64) {
      memcpy(to, from, nbytes);
      return;
    }
    if (nbytes == 8) {
      memcpy(to, from, 8);
      return;
    }
    if (nbytes <= 32) {
      if (nbytes <= 8) {
        aq_copy_word_(to, from, nbytes);
      } else if (nbytes <= 16) {
        AQ_COPY_ENDS_(uint64_t, to, from, nbytes);
      } else {
        AQ_COPY_ENDS_(struct aq_16_bytes_, to, from, nbytes);
      }
      return;
    }
    aq_copy_line_(to, from, nbytes);
    return;
  }
  memcpy(to, from, nbytes);
}

#undef AQ_COPY_ENDS_

#endif
