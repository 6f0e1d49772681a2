/* Atomics on symmetric objects, each with a context and without; fetching, non-fetching, and fetching without
 * waiting (_nbi: *fetch holds after shmem_quiet). All are atomic with respect to each other, whichever type
 * and size they name, because all are done by the processor that owns the memory. */
#ifndef AQUEDUCT_SHMEM_ATOMICS_H_
#define AQUEDUCT_SHMEM_ATOMICS_H_

#include "shmem/types.h"

SHMEM_BEGIN_C_

/* clang-format off */
#define SHMEM_DECLARE_EXTENDED_(NAME, TYPE, ...) \
  SHMEM_API_ TYPE shmem_##NAME##_atomic_fetch(const TYPE* source, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_set(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_atomic_swap(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_fetch_nbi(TYPE* fetch, const TYPE* source, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_swap_nbi(TYPE* fetch, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_ctx_##NAME##_atomic_fetch(shmem_ctx_t ctx, const TYPE* source, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_set(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_ctx_##NAME##_atomic_swap(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_fetch_nbi(shmem_ctx_t ctx, TYPE* fetch, const TYPE* source, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_swap_nbi(shmem_ctx_t ctx, TYPE* fetch, TYPE* dest, TYPE value, int pe);
SHMEM_EXTENDED_AMO_TYPES_(SHMEM_DECLARE_EXTENDED_, )
#undef SHMEM_DECLARE_EXTENDED_

#define SHMEM_DECLARE_STANDARD_(NAME, TYPE, ...) \
  SHMEM_API_ TYPE shmem_##NAME##_atomic_compare_swap(TYPE* dest, TYPE cond, TYPE value, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_compare_swap_nbi(TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_inc(TYPE* dest, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_atomic_fetch_inc(TYPE* dest, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_fetch_inc_nbi(TYPE* fetch, TYPE* dest, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_add(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_atomic_fetch_add(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_fetch_add_nbi(TYPE* fetch, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_ctx_##NAME##_atomic_compare_swap(shmem_ctx_t ctx, TYPE* dest, TYPE cond, TYPE value, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_compare_swap_nbi(shmem_ctx_t ctx, TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_inc(shmem_ctx_t ctx, TYPE* dest, int pe); \
  SHMEM_API_ TYPE shmem_ctx_##NAME##_atomic_fetch_inc(shmem_ctx_t ctx, TYPE* dest, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_fetch_inc_nbi(shmem_ctx_t ctx, TYPE* fetch, TYPE* dest, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_add(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_ctx_##NAME##_atomic_fetch_add(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_fetch_add_nbi(shmem_ctx_t ctx, TYPE* fetch, TYPE* dest, TYPE value, int pe);
SHMEM_AMO_TYPES_(SHMEM_DECLARE_STANDARD_, )
#undef SHMEM_DECLARE_STANDARD_

#define SHMEM_DECLARE_BITWISE_OP_(NAME, TYPE, OP) \
  SHMEM_API_ void shmem_##NAME##_atomic_##OP(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_atomic_fetch_##OP(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_##NAME##_atomic_fetch_##OP##_nbi(TYPE* fetch, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_##OP(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_ctx_##NAME##_atomic_fetch_##OP(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_atomic_fetch_##OP##_nbi(shmem_ctx_t ctx, TYPE* fetch, TYPE* dest, TYPE value, int pe);
#define SHMEM_DECLARE_BITWISE_(NAME, TYPE, ...) \
  SHMEM_DECLARE_BITWISE_OP_(NAME, TYPE, and) SHMEM_DECLARE_BITWISE_OP_(NAME, TYPE, or) SHMEM_DECLARE_BITWISE_OP_(NAME, TYPE, xor)
SHMEM_BITWISE_AMO_TYPES_(SHMEM_DECLARE_BITWISE_, )
#undef SHMEM_DECLARE_BITWISE_
#undef SHMEM_DECLARE_BITWISE_OP_

/* Deprecated names. */
#define SHMEM_DECLARE_OLD_(NAME, TYPE, ...) \
  SHMEM_API_ TYPE shmem_##NAME##_fetch(const TYPE* source, int pe); \
  SHMEM_API_ void shmem_##NAME##_set(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_swap(TYPE* dest, TYPE value, int pe);
SHMEM_DECLARE_OLD_(int, int, ) SHMEM_DECLARE_OLD_(long, long, ) SHMEM_DECLARE_OLD_(longlong, long long, )
SHMEM_DECLARE_OLD_(float, float, ) SHMEM_DECLARE_OLD_(double, double, )
#undef SHMEM_DECLARE_OLD_
#define SHMEM_DECLARE_OLD_(NAME, TYPE, ...) \
  SHMEM_API_ TYPE shmem_##NAME##_cswap(TYPE* dest, TYPE cond, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_fadd(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_finc(TYPE* dest, int pe); \
  SHMEM_API_ void shmem_##NAME##_add(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ void shmem_##NAME##_inc(TYPE* dest, int pe);
SHMEM_DECLARE_OLD_(int, int, ) SHMEM_DECLARE_OLD_(long, long, ) SHMEM_DECLARE_OLD_(longlong, long long, )
#undef SHMEM_DECLARE_OLD_
    /* clang-format on */

    SHMEM_END_C_

#endif
