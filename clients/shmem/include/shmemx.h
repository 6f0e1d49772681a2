/* Extensions that other implementations of OpenSHMEM have, as far as they have become part of the standard:
 * the earlier names of routines of shmem.h. And the time. */
#ifndef AQUEDUCT_SHMEMX_H_
#define AQUEDUCT_SHMEMX_H_

#include "shmem.h"

SHMEM_BEGIN_C_

/* Seconds from an arbitrary origin. */
SHMEM_API_ double shmemx_wtime(void);

SHMEM_END_C_

/* clang-format off */
#define SHMEM_ALIASES_(NAME, TYPE, ...) \
  SHMEM_ALWAYS_INLINE_ void shmemx_##NAME##_ibput(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { \
    shmem_##NAME##_ibput(dest, source, dst, sst, bsize, nblocks, pe); \
  } \
  SHMEM_ALWAYS_INLINE_ void shmemx_##NAME##_ibget(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { \
    shmem_##NAME##_ibget(dest, source, dst, sst, bsize, nblocks, pe); \
  } \
  SHMEM_ALWAYS_INLINE_ void shmemx_ctx_##NAME##_ibput(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { \
    shmem_ctx_##NAME##_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe); \
  } \
  SHMEM_ALWAYS_INLINE_ void shmemx_ctx_##NAME##_ibget(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { \
    shmem_ctx_##NAME##_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe); \
  }
SHMEM_RMA_TYPES_(SHMEM_ALIASES_, )
#undef SHMEM_ALIASES_
#define SHMEM_ALIASES_(NAME, TYPE, ...) \
  SHMEM_ALWAYS_INLINE_ int shmemx_##NAME##_sum_inscan(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) { \
    return shmem_##NAME##_sum_inscan(team, dest, source, nelems); \
  } \
  SHMEM_ALWAYS_INLINE_ int shmemx_##NAME##_sum_exscan(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) { \
    return shmem_##NAME##_sum_exscan(team, dest, source, nelems); \
  }
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_ALIASES_, )
SHMEM_FLOATING_TYPES_(SHMEM_ALIASES_, )
#undef SHMEM_ALIASES_
/* clang-format on */

SHMEM_ALWAYS_INLINE_ void shmemx_signal_add(uint64_t* sig_addr, uint64_t signal, int pe) {
  shmem_signal_add(sig_addr, signal, pe);
}
SHMEM_ALWAYS_INLINE_ void shmemx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
  shmem_ctx_signal_set(ctx, sig_addr, signal, pe);
}
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define shmemx_ibput(...) shmem_ibput(__VA_ARGS__)
#define shmemx_ibget(...) shmem_ibget(__VA_ARGS__)
#define shmemx_sum_inscan(...) shmem_sum_inscan(__VA_ARGS__)
#define shmemx_sum_exscan(...) shmem_sum_exscan(__VA_ARGS__)
#endif

#endif
