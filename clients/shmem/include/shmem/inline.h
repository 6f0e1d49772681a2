/* Put, get and atomics on PEs of this host, as loads, stores and atomic instructions in the caller.
 *
 * The functions below have the names of the library's own, which are called where the compiler does not
 * inline (an address is taken). A tool that puts its own functions in place of these sees calls of programs
 * that were compiled with -DSHMEM_NO_INLINE.
 */
#ifndef AQUEDUCT_SHMEM_INLINE_H_
#define AQUEDUCT_SHMEM_INLINE_H_

#include "shmem/atomics.h"
#include "shmem/job.h"
#include "shmem/reach.h"
#include "shmem/rma.h"

/* What is not here. `pe` counts in the job. */
SHMEM_BEGIN_C_
SHMEM_API_ void aqshmem_put_far_(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void aqshmem_get_far_(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void aqshmem_put_nbi_far_(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void aqshmem_get_nbi_far_(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
/* An atomic on 4 or 8 bytes; what was there before, if the operation fetches. With `fetch` it need not be
 * complete on return. */
SHMEM_API_ uint64_t aqshmem_atomic_far_(shmem_ctx_t ctx, int operation, size_t nbytes, void* dest,
                                        uint64_t operand, uint64_t cond, void* fetch, int pe);
SHMEM_END_C_

enum {
  AQSHMEM_FETCH_,
  AQSHMEM_SET_,
  AQSHMEM_SWAP_,
  AQSHMEM_COMPARE_SWAP_,
  AQSHMEM_ADD_,
  AQSHMEM_FETCH_ADD_,
  AQSHMEM_AND_,
  AQSHMEM_FETCH_AND_,
  AQSHMEM_OR_,
  AQSHMEM_FETCH_OR_,
  AQSHMEM_XOR_,
  AQSHMEM_FETCH_XOR_
};

SHMEM_ALWAYS_INLINE_ void aqshmem_put_(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                                       size_t bytes, int pe, int nbi) {
  const int world_pe = aqshmem_world_pe_(ctx, pe);
  void* const here = aqshmem_reach_(dest, world_pe);
  if (SHMEM_LIKELY_(here != 0)) {
    SHMEM_MEMORY_();
    aqshmem_copy_(here, source, nelems, bytes);
    SHMEM_MEMORY_();
  } else if (nbi) {
    aqshmem_put_nbi_far_(ctx, dest, source, nelems * bytes, world_pe);
  } else {
    aqshmem_put_far_(ctx, dest, source, nelems * bytes, world_pe);
  }
}

SHMEM_ALWAYS_INLINE_ void aqshmem_get_(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems,
                                       size_t bytes, int pe, int nbi) {
  const int world_pe = aqshmem_world_pe_(ctx, pe);
  void* const here = aqshmem_reach_(source, world_pe);
  if (SHMEM_LIKELY_(here != 0)) {
    SHMEM_MEMORY_();
    aqshmem_copy_(dest, here, nelems, bytes);
    SHMEM_MEMORY_();
  } else if (nbi) {
    aqshmem_get_nbi_far_(ctx, dest, source, nelems * bytes, world_pe);
  } else {
    aqshmem_get_far_(ctx, dest, source, nelems * bytes, world_pe);
  }
}

/* clang-format off */
#define AQSHMEM_DEFINE_ATOMIC_(WORD, BYTES) \
  typedef WORD aqshmem_##WORD##_ __attribute__((__may_alias__)); \
  SHMEM_ALWAYS_INLINE_ WORD aqshmem_apply_##BYTES##_(void* here, int operation, WORD operand, WORD cond) { \
    aqshmem_##WORD##_* const word = (aqshmem_##WORD##_*)here; \
    switch (operation) { \
      case AQSHMEM_FETCH_: return __atomic_load_n(word, __ATOMIC_ACQUIRE); \
      case AQSHMEM_SET_: __atomic_store_n(word, operand, __ATOMIC_RELEASE); return 0; \
      case AQSHMEM_SWAP_: return __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL); \
      case AQSHMEM_COMPARE_SWAP_: \
        (void)__atomic_compare_exchange_n(word, &cond, operand, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); return cond; \
      case AQSHMEM_ADD_: (void)__atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL); return 0; \
      case AQSHMEM_FETCH_ADD_: return __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL); \
      case AQSHMEM_AND_: (void)__atomic_fetch_and(word, operand, __ATOMIC_ACQ_REL); return 0; \
      case AQSHMEM_FETCH_AND_: return __atomic_fetch_and(word, operand, __ATOMIC_ACQ_REL); \
      case AQSHMEM_OR_: (void)__atomic_fetch_or(word, operand, __ATOMIC_ACQ_REL); return 0; \
      case AQSHMEM_FETCH_OR_: return __atomic_fetch_or(word, operand, __ATOMIC_ACQ_REL); \
      case AQSHMEM_XOR_: (void)__atomic_fetch_xor(word, operand, __ATOMIC_ACQ_REL); return 0; \
      default: return __atomic_fetch_xor(word, operand, __ATOMIC_ACQ_REL); \
    } \
  }
AQSHMEM_DEFINE_ATOMIC_(uint32_t, 4)
AQSHMEM_DEFINE_ATOMIC_(uint64_t, 8)
#undef AQSHMEM_DEFINE_ATOMIC_
/* clang-format on */

SHMEM_ALWAYS_INLINE_ uint64_t aqshmem_apply_(void* here, int operation, size_t nbytes, uint64_t operand,
                                             uint64_t cond) {
  if (nbytes == 4) return aqshmem_apply_4_(here, operation, (uint32_t)operand, (uint32_t)cond);
  return aqshmem_apply_8_(here, operation, operand, cond);
}

SHMEM_ALWAYS_INLINE_ uint64_t aqshmem_atomic_(shmem_ctx_t ctx, int operation, size_t nbytes, void* dest,
                                              uint64_t operand, uint64_t cond, int pe) {
  const int world_pe = aqshmem_world_pe_(ctx, pe);
  void* const here = aqshmem_reach_(dest, world_pe);
  if (SHMEM_LIKELY_(here != 0)) return aqshmem_apply_(here, operation, nbytes, operand, cond);
  return aqshmem_atomic_far_(ctx, operation, nbytes, dest, operand, cond, 0, world_pe);
}

SHMEM_ALWAYS_INLINE_ void aqshmem_atomic_nbi_(shmem_ctx_t ctx, int operation, size_t nbytes, void* fetch,
                                              void* dest, uint64_t operand, uint64_t cond, int pe) {
  const int world_pe = aqshmem_world_pe_(ctx, pe);
  void* const here = aqshmem_reach_(dest, world_pe);
  if (SHMEM_LIKELY_(here != 0)) {
    const uint64_t before = aqshmem_apply_(here, operation, nbytes, operand, cond);
    memcpy(fetch, &before, nbytes);
  } else {
    (void)aqshmem_atomic_far_(ctx, operation, nbytes, dest, operand, cond, fetch, world_pe);
  }
}

/* Values as bits and back, low-order bytes first. */
#define AQSHMEM_BITS_(TYPE, variable)      \
  __extension__({                          \
    uint64_t bits_ = 0;                    \
    TYPE value_ = (variable);              \
    memcpy(&bits_, &value_, sizeof(TYPE)); \
    bits_;                                 \
  })
#define AQSHMEM_VALUE_(TYPE, bits)         \
  __extension__({                          \
    const uint64_t bits_ = (bits);         \
    TYPE value_;                           \
    memcpy(&value_, &bits_, sizeof(TYPE)); \
    value_;                                \
  })

#ifndef SHMEM_NO_INLINE
#define SHMEM_INLINE_ SHMEM_ALWAYS_INLINE_
SHMEM_BEGIN_C_

SHMEM_INLINE_ int shmem_my_pe(void) { return aqshmem_view_.me_; }
SHMEM_INLINE_ int shmem_n_pes(void) { return aqshmem_view_.pes_; }

#define SHMEM_FUNCTION_(name) shmem_##name
#include "shmem/inline_body.h"
#undef SHMEM_FUNCTION_

SHMEM_END_C_
#undef SHMEM_INLINE_
#endif

#endif
