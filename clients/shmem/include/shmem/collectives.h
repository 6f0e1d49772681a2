/* Collectives over teams, which return 0, and over active sets, which are deprecated. All members call the
 * same with equal arguments other than local contents; a destination must be ready on all before any of them
 * calls. */
#ifndef AQUEDUCT_SHMEM_COLLECTIVES_H_
#define AQUEDUCT_SHMEM_COLLECTIVES_H_

#include "shmem/types.h"

SHMEM_BEGIN_C_

/* All PEs: complete what is under way, and wait for each other; or only wait. */
SHMEM_API_ void shmem_barrier_all(void);
SHMEM_API_ void shmem_sync_all(void);

/* clang-format off */
#define SHMEM_DECLARE_MOVES_(NAME, TYPE, ...) \
  SHMEM_API_ int shmem_##NAME##_broadcast(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems, int PE_root); \
  SHMEM_API_ int shmem_##NAME##_collect(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems); \
  SHMEM_API_ int shmem_##NAME##_fcollect(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems); \
  SHMEM_API_ int shmem_##NAME##_alltoall(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems); \
  SHMEM_API_ int shmem_##NAME##_alltoalls(shmem_team_t team, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems);
SHMEM_RMA_TYPES_(SHMEM_DECLARE_MOVES_, )
#undef SHMEM_DECLARE_MOVES_
SHMEM_API_ int shmem_broadcastmem(shmem_team_t team, void* dest, const void* source, size_t nelems, int PE_root);
SHMEM_API_ int shmem_collectmem(shmem_team_t team, void* dest, const void* source, size_t nelems);
SHMEM_API_ int shmem_fcollectmem(shmem_team_t team, void* dest, const void* source, size_t nelems);
SHMEM_API_ int shmem_alltoallmem(shmem_team_t team, void* dest, const void* source, size_t nelems);
SHMEM_API_ int shmem_alltoallsmem(shmem_team_t team, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems);

/* Reductions, to all members. */
#define SHMEM_DECLARE_REDUCE_(NAME, TYPE, OP) \
  SHMEM_API_ int shmem_##NAME##_##OP##_reduce(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nreduce);
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_REDUCE_, and)
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_REDUCE_, or)
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_REDUCE_, xor)
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_REDUCE_, max)
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_REDUCE_, min)
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_REDUCE_, sum)
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_REDUCE_, prod)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_REDUCE_, max)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_REDUCE_, min)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_REDUCE_, sum)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_REDUCE_, prod)
#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
SHMEM_COMPLEX_TYPES_(SHMEM_DECLARE_REDUCE_, sum)
SHMEM_COMPLEX_TYPES_(SHMEM_DECLARE_REDUCE_, prod)
#undef SHMEM_DECLARE_REDUCE_

/* Sums over the members up to this one: with it (inscan), without it (exscan; 0 on the first). */
#define SHMEM_DECLARE_SCAN_(NAME, TYPE, ...) \
  SHMEM_API_ int shmem_##NAME##_sum_inscan(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems); \
  SHMEM_API_ int shmem_##NAME##_sum_exscan(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems);
SHMEM_INTEGER_REDUCE_TYPES_(SHMEM_DECLARE_SCAN_, )
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_SCAN_, )
SHMEM_COMPLEX_TYPES_(SHMEM_DECLARE_SCAN_, )
#undef SHMEM_DECLARE_SCAN_

/* Active sets: PE_size PEs from PE_start on, 2^logPE_stride apart. */
SHMEM_API_ void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long* pSync);
SHMEM_API_ void shmem_sync(int PE_start, int logPE_stride, int PE_size, long* pSync);
#define SHMEM_DECLARE_BLOCKS_(BITS) \
  SHMEM_API_ void shmem_broadcast##BITS(void* dest, const void* source, size_t nelems, int PE_root, int PE_start, int logPE_stride, int PE_size, long* pSync); \
  SHMEM_API_ void shmem_collect##BITS(void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync); \
  SHMEM_API_ void shmem_fcollect##BITS(void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync); \
  SHMEM_API_ void shmem_alltoall##BITS(void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync); \
  SHMEM_API_ void shmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync);
SHMEM_DECLARE_BLOCKS_(32)
SHMEM_DECLARE_BLOCKS_(64)
#undef SHMEM_DECLARE_BLOCKS_
#define SHMEM_DECLARE_TO_ALL_(NAME, TYPE, OP) \
  SHMEM_API_ void shmem_##NAME##_##OP##_to_all(TYPE* dest, const TYPE* source, int nreduce, int PE_start, int logPE_stride, int PE_size, TYPE* pWrk, long* pSync);
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_DECLARE_TO_ALL_, and)
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_DECLARE_TO_ALL_, or)
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_DECLARE_TO_ALL_, xor)
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_DECLARE_TO_ALL_, max)
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_DECLARE_TO_ALL_, min)
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_DECLARE_TO_ALL_, sum)
SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_DECLARE_TO_ALL_, prod)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_TO_ALL_, max)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_TO_ALL_, min)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_TO_ALL_, sum)
SHMEM_FLOATING_TYPES_(SHMEM_DECLARE_TO_ALL_, prod)
SHMEM_COMPLEX_TYPES_(SHMEM_DECLARE_TO_ALL_, sum)
SHMEM_COMPLEX_TYPES_(SHMEM_DECLARE_TO_ALL_, prod)
#undef SHMEM_DECLARE_TO_ALL_
#if defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
/* clang-format on */

SHMEM_END_C_

#endif
