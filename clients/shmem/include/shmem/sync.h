/* Waiting for, and testing, values in this PE's symmetric memory that others write; locks.
 *
 * Each form has a cousin that compares each element with one of a vector. `status[i]`, if status is not NULL,
 * excludes element i where it is not 0. A wait for any or some of no elements returns SIZE_MAX, or 0. */
#ifndef AQUEDUCT_SHMEM_SYNC_H_
#define AQUEDUCT_SHMEM_SYNC_H_

#include "shmem/types.h"

SHMEM_BEGIN_C_

/* clang-format off */
#define SHMEM_DECLARE_WAIT_(NAME, TYPE, ...) \
  SHMEM_API_ void shmem_##NAME##_wait_until(TYPE* ivar, int cmp, TYPE value); \
  SHMEM_API_ void shmem_##NAME##_wait_until_all(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value); \
  SHMEM_API_ size_t shmem_##NAME##_wait_until_any(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value); \
  SHMEM_API_ size_t shmem_##NAME##_wait_until_some(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE value); \
  SHMEM_API_ void shmem_##NAME##_wait_until_all_vector(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values); \
  SHMEM_API_ size_t shmem_##NAME##_wait_until_any_vector(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values); \
  SHMEM_API_ size_t shmem_##NAME##_wait_until_some_vector(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE* values); \
  SHMEM_API_ int shmem_##NAME##_test(TYPE* ivar, int cmp, TYPE value); \
  SHMEM_API_ int shmem_##NAME##_test_all(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value); \
  SHMEM_API_ size_t shmem_##NAME##_test_any(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE value); \
  SHMEM_API_ size_t shmem_##NAME##_test_some(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE value); \
  SHMEM_API_ int shmem_##NAME##_test_all_vector(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values); \
  SHMEM_API_ size_t shmem_##NAME##_test_any_vector(TYPE* ivars, size_t nelems, const int* status, int cmp, TYPE* values); \
  SHMEM_API_ size_t shmem_##NAME##_test_some_vector(TYPE* ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE* values);
SHMEM_WAIT_TYPES_(SHMEM_DECLARE_WAIT_, )
#undef SHMEM_DECLARE_WAIT_

/* Deprecated: until the value is another one. */
#define SHMEM_DECLARE_OLD_(NAME, TYPE, ...) SHMEM_API_ void shmem_##NAME##_wait(TYPE* ivar, TYPE value);
SHMEM_DECLARE_OLD_(short, short, ) SHMEM_DECLARE_OLD_(int, int, ) SHMEM_DECLARE_OLD_(long, long, ) SHMEM_DECLARE_OLD_(longlong, long long, )
#undef SHMEM_DECLARE_OLD_
SHMEM_API_ void shmem_wait(long* ivar, long value);
#if defined(__cplusplus) || __STDC_VERSION__ < 201112L
SHMEM_API_ void shmem_wait_until(long* ivar, int cmp, long value);
#endif
/* clang-format on */

SHMEM_API_ uint64_t shmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t value);

/* Locks, one PE at a time, in the order in which they came. A lock is a symmetric long that is 0 at first.
 * shmem_test_lock: 0 if this PE holds it now, 1 if another one does. */
SHMEM_API_ void shmem_set_lock(long* lock);
SHMEM_API_ void shmem_clear_lock(long* lock);
SHMEM_API_ int shmem_test_lock(long* lock);

SHMEM_END_C_

#endif
