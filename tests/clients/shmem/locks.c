/* One PE at a time, none is passed over for ever, and a lock is free again afterwards: all zeros. */
#include "check.h"

static long locks[3];
static long counter;
static long inside;

int main(void) {
  int me, pes, i, k;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes();
  for (i = 0; i < 40; ++i) {
    long* const lock = &locks[i % 3];
    if (i % 4 == 3) {
      while (shmem_test_lock(lock)) continue;
    } else {
      shmem_set_lock(lock);
    }
    if (i % 3 == 0) {
      CHECK_EQUAL(shmem_long_atomic_fetch_add(&inside, 1, 0), 0);
      shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
      shmem_quiet();
      CHECK_EQUAL(shmem_long_atomic_fetch_add(&inside, -1, 0), 1);
    }
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
  if (me == 0) CHECK_EQUAL(counter, 14 * pes);
  for (k = 0; k < 3; ++k) CHECK_EQUAL(locks[k], 0);
  shmem_barrier_all();
  if (me == 0) CHECK_EQUAL(shmem_test_lock(&locks[1]), 0);
  shmem_barrier_all();
  if (me != 0) CHECK_EQUAL(shmem_test_lock(&locks[1]), 1);
  shmem_barrier_all();
  if (me == 0) shmem_clear_lock(&locks[1]);
  shmem_finalize();
  return 0;
}
