/* The profiling interface: every function of shmem.h once more as pshmem_NAME, for tools that put a function
 * of their own in the place of shmem_NAME, which is weak, and go on to the library's.
 *
 *   #include <pshmem.h>
 *   void shmem_barrier_all(void) { ++barriers; pshmem_barrier_all(); }
 *
 * Programs compiled with -DSHMEM_NO_INLINE call functions for put, get and atomics as well. A tool is
 * compiled with it.
 */
#ifndef AQUEDUCT_PSHMEM_H_
#define AQUEDUCT_PSHMEM_H_

#include "shmem.h"

SHMEM_BEGIN_C_

/* clang-format off */
#define PSHMEM_1_(NAME) SHMEM_API_ extern __typeof__(shmem_##NAME) pshmem_##NAME;
#define PSHMEM_2_(A, B) PSHMEM_1_(A) PSHMEM_1_(B)
#define PSHMEM_3_(A, B, C) PSHMEM_2_(A, B) PSHMEM_1_(C)
#define PSHMEM_4_(A, B, C, D) PSHMEM_2_(A, B) PSHMEM_2_(C, D)
/* By themselves and with a context. */
#define PSHMEM_CTX_2_(A, B) PSHMEM_4_(A, B, ctx_##A, ctx_##B)
#define PSHMEM_CTX_3_(A, B, C) PSHMEM_3_(A, B, C) PSHMEM_3_(ctx_##A, ctx_##B, ctx_##C)

#define PSHMEM_RMA_(NAME, TYPE, ...) \
  PSHMEM_CTX_2_(NAME##_put, NAME##_get) PSHMEM_CTX_2_(NAME##_put_nbi, NAME##_get_nbi) PSHMEM_CTX_2_(NAME##_p, NAME##_g) \
  PSHMEM_CTX_2_(NAME##_iput, NAME##_iget) PSHMEM_CTX_2_(NAME##_ibput, NAME##_ibget) PSHMEM_CTX_2_(NAME##_put_signal, NAME##_put_signal_nbi) \
  PSHMEM_2_(NAME##_broadcast, NAME##_collect) PSHMEM_3_(NAME##_fcollect, NAME##_alltoall, NAME##_alltoalls)
SHMEM_RMA_TYPES_(PSHMEM_RMA_, )
#define PSHMEM_BYTES_(BITS) \
  PSHMEM_CTX_2_(put##BITS, get##BITS) PSHMEM_CTX_2_(put##BITS##_nbi, get##BITS##_nbi) PSHMEM_CTX_2_(put##BITS##_signal, put##BITS##_signal_nbi)
#define PSHMEM_BLOCKS_(BITS, BYTES, ...) \
  PSHMEM_BYTES_(BITS) PSHMEM_CTX_2_(iput##BITS, iget##BITS) PSHMEM_CTX_2_(ibput##BITS, ibget##BITS)
SHMEM_BLOCK_SIZES_(PSHMEM_BLOCKS_, )
PSHMEM_BYTES_(mem)

#define PSHMEM_EXTENDED_(NAME, TYPE, ...) \
  PSHMEM_CTX_3_(NAME##_atomic_fetch, NAME##_atomic_set, NAME##_atomic_swap) PSHMEM_CTX_2_(NAME##_atomic_fetch_nbi, NAME##_atomic_swap_nbi)
SHMEM_EXTENDED_AMO_TYPES_(PSHMEM_EXTENDED_, )
#define PSHMEM_STANDARD_(NAME, TYPE, ...) \
  PSHMEM_CTX_2_(NAME##_atomic_compare_swap, NAME##_atomic_compare_swap_nbi) \
  PSHMEM_CTX_3_(NAME##_atomic_inc, NAME##_atomic_fetch_inc, NAME##_atomic_fetch_inc_nbi) \
  PSHMEM_CTX_3_(NAME##_atomic_add, NAME##_atomic_fetch_add, NAME##_atomic_fetch_add_nbi)
SHMEM_AMO_TYPES_(PSHMEM_STANDARD_, )
#define PSHMEM_BITWISE_(NAME, TYPE, ...) \
  PSHMEM_CTX_3_(NAME##_atomic_and, NAME##_atomic_fetch_and, NAME##_atomic_fetch_and_nbi) \
  PSHMEM_CTX_3_(NAME##_atomic_or, NAME##_atomic_fetch_or, NAME##_atomic_fetch_or_nbi) \
  PSHMEM_CTX_3_(NAME##_atomic_xor, NAME##_atomic_fetch_xor, NAME##_atomic_fetch_xor_nbi)
SHMEM_BITWISE_AMO_TYPES_(PSHMEM_BITWISE_, )
#define PSHMEM_OLD_(NAME) PSHMEM_3_(NAME##_fetch, NAME##_set, NAME##_swap)
#define PSHMEM_OLD_INTEGER_(NAME) PSHMEM_OLD_(NAME) PSHMEM_3_(NAME##_cswap, NAME##_fadd, NAME##_finc) PSHMEM_3_(NAME##_add, NAME##_inc, NAME##_wait)
PSHMEM_OLD_INTEGER_(int) PSHMEM_OLD_INTEGER_(long) PSHMEM_OLD_INTEGER_(longlong) PSHMEM_OLD_(float) PSHMEM_OLD_(double)

#define PSHMEM_WAITS_(NAME, TYPE, ...) \
  PSHMEM_4_(NAME##_wait_until, NAME##_wait_until_all, NAME##_wait_until_any, NAME##_wait_until_some) \
  PSHMEM_3_(NAME##_wait_until_all_vector, NAME##_wait_until_any_vector, NAME##_wait_until_some_vector) \
  PSHMEM_4_(NAME##_test, NAME##_test_all, NAME##_test_any, NAME##_test_some) \
  PSHMEM_3_(NAME##_test_all_vector, NAME##_test_any_vector, NAME##_test_some_vector)
SHMEM_WAIT_TYPES_(PSHMEM_WAITS_, )

#define PSHMEM_REDUCE_(NAME, TYPE, OP) PSHMEM_1_(NAME##_##OP##_reduce)
#define PSHMEM_TO_ALL_(NAME, TYPE, OP) PSHMEM_1_(NAME##_##OP##_to_all)
#define PSHMEM_SUMS_(TYPES, TO_ALL) TYPES(PSHMEM_REDUCE_, sum) TYPES(PSHMEM_REDUCE_, prod) TO_ALL(PSHMEM_TO_ALL_, sum) TO_ALL(PSHMEM_TO_ALL_, prod)
#define PSHMEM_ORDERED_(TYPES, TO_ALL) TYPES(PSHMEM_REDUCE_, max) TYPES(PSHMEM_REDUCE_, min) TO_ALL(PSHMEM_TO_ALL_, max) TO_ALL(PSHMEM_TO_ALL_, min)
#define PSHMEM_BITS_(TYPES, X) TYPES(X, and) TYPES(X, or) TYPES(X, xor)
#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
PSHMEM_BITS_(SHMEM_INTEGER_REDUCE_TYPES_, PSHMEM_REDUCE_)
PSHMEM_BITS_(SHMEM_TO_ALL_INTEGER_TYPES_, PSHMEM_TO_ALL_)
PSHMEM_ORDERED_(SHMEM_INTEGER_REDUCE_TYPES_, SHMEM_TO_ALL_INTEGER_TYPES_)
PSHMEM_ORDERED_(SHMEM_FLOATING_TYPES_, SHMEM_FLOATING_TYPES_)
PSHMEM_SUMS_(SHMEM_INTEGER_REDUCE_TYPES_, SHMEM_TO_ALL_INTEGER_TYPES_)
PSHMEM_SUMS_(SHMEM_FLOATING_TYPES_, SHMEM_FLOATING_TYPES_)
PSHMEM_SUMS_(SHMEM_COMPLEX_TYPES_, SHMEM_COMPLEX_TYPES_)
#define PSHMEM_SCAN_(NAME, TYPE, ...) PSHMEM_2_(NAME##_sum_inscan, NAME##_sum_exscan)
SHMEM_INTEGER_REDUCE_TYPES_(PSHMEM_SCAN_, )
SHMEM_FLOATING_TYPES_(PSHMEM_SCAN_, )
SHMEM_COMPLEX_TYPES_(PSHMEM_SCAN_, )
#if defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
PSHMEM_2_(broadcastmem, collectmem) PSHMEM_3_(fcollectmem, alltoallmem, alltoallsmem)
#define PSHMEM_ACTIVE_(BITS) PSHMEM_2_(broadcast##BITS, collect##BITS) PSHMEM_3_(fcollect##BITS, alltoall##BITS, alltoalls##BITS)
PSHMEM_ACTIVE_(32) PSHMEM_ACTIVE_(64)

PSHMEM_3_(init, init_thread, query_thread) PSHMEM_4_(initialized, finalized, finalize, global_exit)
PSHMEM_4_(my_pe, n_pes, pe_accessible, addr_accessible) PSHMEM_3_(ptr, team_ptr, pcontrol) PSHMEM_2_(info_get_version, info_get_name)
PSHMEM_4_(malloc, calloc, align, malloc_with_hints) PSHMEM_2_(realloc, free)
PSHMEM_4_(team_my_pe, team_n_pes, team_get_config, team_translate_pe) PSHMEM_4_(team_split_strided, team_split_2d, team_destroy, team_sync)
PSHMEM_4_(ctx_create, team_create_ctx, ctx_destroy, ctx_get_team) PSHMEM_2_(ctx_session_start, ctx_session_stop)
PSHMEM_CTX_3_(fence, quiet, pe_quiet) PSHMEM_CTX_2_(signal_set, signal_add) PSHMEM_2_(signal_fetch, signal_wait_until)
PSHMEM_4_(barrier_all, sync_all, barrier, sync) PSHMEM_3_(set_lock, clear_lock, test_lock) PSHMEM_2_(wait, short_wait)
/* Where shmem_wait_until is a generic name there is no function of which the type could be taken. */
SHMEM_API_ void pshmem_wait_until(long* ivar, int cmp, long value);
/* clang-format on */

SHMEM_END_C_

#undef PSHMEM_1_
#undef PSHMEM_2_
#undef PSHMEM_3_
#undef PSHMEM_4_
#undef PSHMEM_CTX_2_
#undef PSHMEM_CTX_3_
#undef PSHMEM_RMA_
#undef PSHMEM_BYTES_
#undef PSHMEM_BLOCKS_
#undef PSHMEM_EXTENDED_
#undef PSHMEM_STANDARD_
#undef PSHMEM_BITWISE_
#undef PSHMEM_OLD_
#undef PSHMEM_OLD_INTEGER_
#undef PSHMEM_WAITS_
#undef PSHMEM_REDUCE_
#undef PSHMEM_TO_ALL_
#undef PSHMEM_SUMS_
#undef PSHMEM_ORDERED_
#undef PSHMEM_BITS_
#undef PSHMEM_SCAN_
#undef PSHMEM_ACTIVE_

#endif
