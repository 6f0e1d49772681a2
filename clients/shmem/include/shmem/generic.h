/* The generic forms of C11: shmem_put(dest, source, nelems, pe) and the others choose the typed function by
 * the types of their arguments. Those that may have a context take it first. Not in C++, where the typed
 * functions are used. */
#ifndef AQUEDUCT_SHMEM_GENERIC_H_
#define AQUEDUCT_SHMEM_GENERIC_H_

#include "shmem/types.h"

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

/* What is chosen for types that a routine does not have: calling it does not compile. */
struct aqshmem_no_routine_for_these_types_ {
  int unused_;
};
extern const struct aqshmem_no_routine_for_these_types_ aqshmem_no_routine_for_these_types_;

/* clang-format off */
#define SHMEM_POINTERS_(NAME, TYPE, BEFORE, AFTER) \
  TYPE*: BEFORE##NAME##AFTER, const TYPE*: BEFORE##NAME##AFTER, volatile TYPE*: BEFORE##NAME##AFTER, \
  const volatile TYPE*: BEFORE##NAME##AFTER,
/* By a pointer. */
#define SHMEM_CHOOSE_(TYPES, BEFORE, AFTER, pointer) \
  _Generic((pointer), TYPES(SHMEM_POINTERS_, BEFORE, AFTER) default: aqshmem_no_routine_for_these_types_)
/* By the first argument, or if that is a context, by the second. */
#define SHMEM_CHOOSE_WITH_CTX_(TYPES, AFTER, first, second, ...) \
  _Generic((first), \
    shmem_ctx_t: _Generic((second), TYPES(SHMEM_POINTERS_, shmem_ctx_, AFTER) default: aqshmem_no_routine_for_these_types_), \
    TYPES(SHMEM_POINTERS_, shmem_, AFTER) default: aqshmem_no_routine_for_these_types_)
#define SHMEM_FIRST_(first, ...) first

#define shmem_put(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _put, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_get(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _get, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_put_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _put_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_get_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _get_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_iput(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _iput, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_iget(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _iget, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_ibput(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _ibput, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_ibget(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _ibget, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_p(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _p, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_g(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _g, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_put_signal(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _put_signal, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_RMA_BASE_TYPES_, _put_signal_nbi, __VA_ARGS__, 0)(__VA_ARGS__)

#define shmem_atomic_fetch(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_EXTENDED_AMO_BASE_TYPES_, _atomic_fetch, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_set(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_EXTENDED_AMO_BASE_TYPES_, _atomic_set, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_swap(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_EXTENDED_AMO_BASE_TYPES_, _atomic_swap, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_EXTENDED_AMO_BASE_TYPES_, _atomic_fetch_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_EXTENDED_AMO_BASE_TYPES_, _atomic_swap_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_compare_swap(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_compare_swap, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_compare_swap_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_inc(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_inc, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_fetch_inc, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_fetch_inc_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_add(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_add, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_fetch_add, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_AMO_BASE_TYPES_, _atomic_fetch_add_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_and(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_and, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_or(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_or, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_xor(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_xor, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_fetch_and, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_fetch_or, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_fetch_xor, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_fetch_and_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_fetch_or_nbi, __VA_ARGS__, 0)(__VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) SHMEM_CHOOSE_WITH_CTX_(SHMEM_BITWISE_AMO_BASE_TYPES_, _atomic_fetch_xor_nbi, __VA_ARGS__, 0)(__VA_ARGS__)

#define shmem_wait_until(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _wait_until, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_wait_until_all(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _wait_until_all, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_wait_until_any(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _wait_until_any, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_wait_until_some(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _wait_until_some, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_wait_until_all_vector(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _wait_until_all_vector, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_wait_until_any_vector(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _wait_until_any_vector, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_wait_until_some_vector(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _wait_until_some_vector, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_test(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _test, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_test_all(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _test_all, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_test_any(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _test_any, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_test_some(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _test_some, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_test_all_vector(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _test_all_vector, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_test_any_vector(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _test_any_vector, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)
#define shmem_test_some_vector(...) SHMEM_CHOOSE_(SHMEM_WAIT_BASE_TYPES_, shmem_, _test_some_vector, SHMEM_FIRST_(__VA_ARGS__, 0))(__VA_ARGS__)

#define shmem_broadcast(team, dest, ...) SHMEM_CHOOSE_(SHMEM_RMA_BASE_TYPES_, shmem_, _broadcast, dest)(team, dest, __VA_ARGS__)
#define shmem_collect(team, dest, ...) SHMEM_CHOOSE_(SHMEM_RMA_BASE_TYPES_, shmem_, _collect, dest)(team, dest, __VA_ARGS__)
#define shmem_fcollect(team, dest, ...) SHMEM_CHOOSE_(SHMEM_RMA_BASE_TYPES_, shmem_, _fcollect, dest)(team, dest, __VA_ARGS__)
#define shmem_alltoall(team, dest, ...) SHMEM_CHOOSE_(SHMEM_RMA_BASE_TYPES_, shmem_, _alltoall, dest)(team, dest, __VA_ARGS__)
#define shmem_alltoalls(team, dest, ...) SHMEM_CHOOSE_(SHMEM_RMA_BASE_TYPES_, shmem_, _alltoalls, dest)(team, dest, __VA_ARGS__)

#define SHMEM_ARITHMETIC_BASE_TYPES_(X, ...) SHMEM_INTEGER_REDUCE_BASE_TYPES_(X, __VA_ARGS__) SHMEM_FLOATING_TYPES_(X, __VA_ARGS__)
#define SHMEM_SUMMABLE_BASE_TYPES_(X, ...) SHMEM_ARITHMETIC_BASE_TYPES_(X, __VA_ARGS__) SHMEM_COMPLEX_TYPES_(X, __VA_ARGS__)
#define shmem_and_reduce(team, dest, ...) SHMEM_CHOOSE_(SHMEM_INTEGER_REDUCE_BASE_TYPES_, shmem_, _and_reduce, dest)(team, dest, __VA_ARGS__)
#define shmem_or_reduce(team, dest, ...) SHMEM_CHOOSE_(SHMEM_INTEGER_REDUCE_BASE_TYPES_, shmem_, _or_reduce, dest)(team, dest, __VA_ARGS__)
#define shmem_xor_reduce(team, dest, ...) SHMEM_CHOOSE_(SHMEM_INTEGER_REDUCE_BASE_TYPES_, shmem_, _xor_reduce, dest)(team, dest, __VA_ARGS__)
#define shmem_max_reduce(team, dest, ...) SHMEM_CHOOSE_(SHMEM_ARITHMETIC_BASE_TYPES_, shmem_, _max_reduce, dest)(team, dest, __VA_ARGS__)
#define shmem_min_reduce(team, dest, ...) SHMEM_CHOOSE_(SHMEM_ARITHMETIC_BASE_TYPES_, shmem_, _min_reduce, dest)(team, dest, __VA_ARGS__)
#define shmem_sum_reduce(team, dest, ...) SHMEM_CHOOSE_(SHMEM_SUMMABLE_BASE_TYPES_, shmem_, _sum_reduce, dest)(team, dest, __VA_ARGS__)
#define shmem_prod_reduce(team, dest, ...) SHMEM_CHOOSE_(SHMEM_SUMMABLE_BASE_TYPES_, shmem_, _prod_reduce, dest)(team, dest, __VA_ARGS__)
#define shmem_sum_inscan(team, dest, ...) SHMEM_CHOOSE_(SHMEM_SUMMABLE_BASE_TYPES_, shmem_, _sum_inscan, dest)(team, dest, __VA_ARGS__)
#define shmem_sum_exscan(team, dest, ...) SHMEM_CHOOSE_(SHMEM_SUMMABLE_BASE_TYPES_, shmem_, _sum_exscan, dest)(team, dest, __VA_ARGS__)

/* Of a team, or, deprecated, of an active set. */
#define shmem_sync(...) SHMEM_SYNC_OF_(__VA_ARGS__, shmem_sync, , , shmem_team_sync, 0)(__VA_ARGS__)
#define SHMEM_SYNC_OF_(first, second, third, fourth, routine, ...) routine

/* Deprecated names. */
#define SHMEM_OLD_AMO_BASE_TYPES_(X, ...) X(int, int, __VA_ARGS__) X(long, long, __VA_ARGS__) X(longlong, long long, __VA_ARGS__)
#define SHMEM_OLD_EXTENDED_BASE_TYPES_(X, ...) SHMEM_OLD_AMO_BASE_TYPES_(X, __VA_ARGS__) X(float, float, __VA_ARGS__) X(double, double, __VA_ARGS__)
#define shmem_fetch(source, ...) SHMEM_CHOOSE_(SHMEM_OLD_EXTENDED_BASE_TYPES_, shmem_, _fetch, source)(source, __VA_ARGS__)
#define shmem_set(dest, ...) SHMEM_CHOOSE_(SHMEM_OLD_EXTENDED_BASE_TYPES_, shmem_, _set, dest)(dest, __VA_ARGS__)
#define shmem_swap(dest, ...) SHMEM_CHOOSE_(SHMEM_OLD_EXTENDED_BASE_TYPES_, shmem_, _swap, dest)(dest, __VA_ARGS__)
#define shmem_cswap(dest, ...) SHMEM_CHOOSE_(SHMEM_OLD_AMO_BASE_TYPES_, shmem_, _cswap, dest)(dest, __VA_ARGS__)
#define shmem_fadd(dest, ...) SHMEM_CHOOSE_(SHMEM_OLD_AMO_BASE_TYPES_, shmem_, _fadd, dest)(dest, __VA_ARGS__)
#define shmem_finc(dest, ...) SHMEM_CHOOSE_(SHMEM_OLD_AMO_BASE_TYPES_, shmem_, _finc, dest)(dest, __VA_ARGS__)
#define shmem_add(dest, ...) SHMEM_CHOOSE_(SHMEM_OLD_AMO_BASE_TYPES_, shmem_, _add, dest)(dest, __VA_ARGS__)
#define shmem_inc(dest, ...) SHMEM_CHOOSE_(SHMEM_OLD_AMO_BASE_TYPES_, shmem_, _inc, dest)(dest, __VA_ARGS__)
/* clang-format on */

#endif
#endif
