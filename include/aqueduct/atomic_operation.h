/* Remote atomics: one read-modify-write on an element in another rank's segment, or in this rank's own.
 *
 *   gex_Event_t gex_AD_OpNB_<type>(gex_AD_t domain, T *result_p, gex_Rank_t rank, void *target,
 *                                  gex_OP_t opcode, T operand1, T operand2, gex_Flags_t flags)
 *   int         gex_AD_OpNBI_<type>(the same)
 *
 * for <type> I32, U32, I64, U64, FLT, DBL.
 *
 * Performs `opcode`, one of the domain's operations, on the element at `target`, an aligned address in the
 * segment of `rank` in the domain's team. Fetching operations store what was there before in *result_p, which
 * holds when the operation is complete; others ignore it, as operations ignore operands that they do not
 * need. NBI operations are completed as GEX_EC_RMW; SET as GEX_EC_PUT and GET as GEX_EC_GET. Any thread, not
 * in handlers; the calls may poll. An unaligned address or one outside the segment, a rank outside the team,
 * an operation that is not the domain's or another type ends the job.
 *
 * Flags: GEX_FLAG_IMMEDIATE (GEX_EVENT_NO_OP or non-zero: nothing was done), GEX_FLAG_RANK_IS_JOBRANK,
 * GEX_FLAG_AD_{ACQ,REL} (every operation has both here), GEX_FLAG_AD_MY_{RANK,NBRHD} (promises that need no
 * action here).
 *
 * On a neighbour's segment it is an atomic instruction, and complete on return: right here if the compiler
 * knows the opcode or it turns out to be GEX_OP_FADD, otherwise after one call that sorts it out. Everything
 * else goes into the library.
 */
#ifndef AQUEDUCT_ATOMIC_OPERATION_H_
#define AQUEDUCT_ATOMIC_OPERATION_H_

#include "aqueduct/atomic_domain.h"
#include "aqueduct/detail/atomic_apply.h"
#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/reach.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

/* An operation on elements of `type`; operands as the bits of that type, low-order bytes first. */
AQ_API_ gex_Event_t aq_ad_nb_(gex_AD_t domain, void* result, gex_Rank_t rank, void* target, gex_OP_t opcode,
                              uint64_t operand1, uint64_t operand2, gex_Flags_t flags, gex_DT_t type);
AQ_API_ int aq_ad_nbi_(gex_AD_t domain, void* result, gex_Rank_t rank, void* target, gex_OP_t opcode,
                       uint64_t operand1, uint64_t operand2, gex_Flags_t flags, gex_DT_t type);

/* An operation on an element in this process, where the compiler does not know which. */
AQ_API_ void aq_ad_apply_I32_(void* here, int32_t* result, gex_OP_t opcode, int32_t operand1,
                              int32_t operand2);
AQ_API_ void aq_ad_apply_U32_(void* here, uint32_t* result, gex_OP_t opcode, uint32_t operand1,
                              uint32_t operand2);
AQ_API_ void aq_ad_apply_I64_(void* here, int64_t* result, gex_OP_t opcode, int64_t operand1,
                              int64_t operand2);
AQ_API_ void aq_ad_apply_U64_(void* here, uint64_t* result, gex_OP_t opcode, uint64_t operand1,
                              uint64_t operand2);
AQ_API_ void aq_ad_apply_FLT_(void* here, float* result, gex_OP_t opcode, float operand1, float operand2);
AQ_API_ void aq_ad_apply_DBL_(void* here, double* result, gex_OP_t opcode, double operand1, double operand2);

AQ_END_C_

/* Whether an operation (one bit) writes a result. */
#define AQ_OP_FETCHES_(opcode) ((opcode) >= GEX_OP_FAND)

/* Whether the element is a neighbour's and everything about the operation is right; then stores our address
 * of it. Otherwise the library does it, or says what is wrong. Few branches, because they cost more than the
 * rest: segments begin on pages, so that an offset, rotated to have its excess bits in front, says in one
 * comparison that it is inside and aligned. (Where a segment does not, the library decides.) */
AQ_ALWAYS_INLINE_ int aq_find_element_(gex_AD_t ad, gex_Rank_t rank, const void* target, gex_OP_t opcode,
                                       gex_Flags_t flags, gex_DT_t type, size_t nbytes, void** here_p) {
  const struct aq_ad_view_* domain = (const struct aq_ad_view_*)(const void*)ad;
  const struct aq_peer_view_* peer;
  const unsigned int shift = nbytes == 8 ? 3 : 2;
  uintptr_t offset;
#ifdef GASNET_DEBUG
  if (!domain) return 0;
#endif
  if (!AQ_LIKELY_(domain->type_ == type && (domain->operations_ & opcode))) return 0;
  if (!AQ_LIKELY_(!(opcode & (opcode - 1)) && !(flags & domain->library_flags_))) return 0;
  if (!AQ_LIKELY_(rank < domain->members_.size_)) return 0;
  peer = &domain->members_.peers_[rank];
  offset = (uintptr_t)target - peer->base_;
  offset = offset >> shift | offset << (8 * sizeof offset - shift);
  if (!AQ_LIKELY_(offset < peer->size_ >> shift)) return 0;
  *here_p = (void*)((uintptr_t)target + (uintptr_t)peer->shift_);
  return 1;
}

/* clang-format off */
#define AQ_DEFINE_ATOMIC_(NAME, TYPE)                                                                        \
  AQ_ALWAYS_INLINE_ uint64_t aq_bits_##NAME##_(TYPE value) {                                                 \
    uint64_t bits = 0;                                                                                       \
    memcpy(&bits, &value, sizeof value);                                                                     \
    return bits;                                                                                             \
  }                                                                                                          \
  AQ_ALWAYS_INLINE_ void aq_do_##NAME##_(void* here, TYPE* result_p, gex_OP_t opcode, TYPE operand1,         \
                                         TYPE operand2) {                                                    \
    if (__builtin_constant_p(opcode)) {                                                                      \
      const TYPE before = aq_apply_##NAME##_(here, opcode, operand1, operand2);                              \
      if (AQ_OP_FETCHES_(opcode)) *result_p = before;                                                        \
    } else if (AQ_LIKELY_(opcode == GEX_OP_FADD)) {                                                          \
      *result_p = aq_apply_##NAME##_(here, GEX_OP_FADD, operand1, operand2);                                 \
    } else if (AQ_LIKELY_(opcode == GEX_OP_ADD)) {                                                           \
      (void)aq_apply_##NAME##_(here, GEX_OP_ADD, operand1, operand2);                                        \
    } else {                                                                                                 \
      aq_ad_apply_##NAME##_(here, result_p, opcode, operand1, operand2);                                     \
    }                                                                                                        \
  }                                                                                                          \
  AQ_ALWAYS_INLINE_ gex_Event_t gex_AD_OpNB_##NAME(gex_AD_t domain, TYPE* result_p, gex_Rank_t rank,         \
                                                   void* target, gex_OP_t opcode, TYPE operand1,             \
                                                   TYPE operand2, gex_Flags_t flags) {                       \
    void* here;                                                                                              \
    if (!AQ_LIKELY_(aq_find_element_(domain, rank, target, opcode, flags, GEX_DT_##NAME, sizeof(TYPE),       \
                                     &here))) {                                                              \
      return aq_ad_nb_(domain, result_p, rank, target, opcode, aq_bits_##NAME##_(operand1),                  \
                       aq_bits_##NAME##_(operand2), flags, GEX_DT_##NAME);                                   \
    }                                                                                                        \
    aq_do_##NAME##_(here, result_p, opcode, operand1, operand2);                                             \
    return GEX_EVENT_INVALID;                                                                                \
  }                                                                                                          \
  AQ_ALWAYS_INLINE_ int gex_AD_OpNBI_##NAME(gex_AD_t domain, TYPE* result_p, gex_Rank_t rank, void* target,  \
                                            gex_OP_t opcode, TYPE operand1, TYPE operand2,                   \
                                            gex_Flags_t flags) {                                             \
    void* here;                                                                                              \
    if (!AQ_LIKELY_(aq_find_element_(domain, rank, target, opcode, flags, GEX_DT_##NAME, sizeof(TYPE),       \
                                     &here))) {                                                              \
      return aq_ad_nbi_(domain, result_p, rank, target, opcode, aq_bits_##NAME##_(operand1),                 \
                        aq_bits_##NAME##_(operand2), flags, GEX_DT_##NAME);                                  \
    }                                                                                                        \
    aq_do_##NAME##_(here, result_p, opcode, operand1, operand2);                                             \
    return 0;                                                                                                \
  }
/* clang-format on */

AQ_DEFINE_ATOMIC_(I32, int32_t)
AQ_DEFINE_ATOMIC_(U32, uint32_t)
AQ_DEFINE_ATOMIC_(I64, int64_t)
AQ_DEFINE_ATOMIC_(U64, uint64_t)
AQ_DEFINE_ATOMIC_(FLT, float)
AQ_DEFINE_ATOMIC_(DBL, double)
#undef AQ_DEFINE_ATOMIC_

#endif
