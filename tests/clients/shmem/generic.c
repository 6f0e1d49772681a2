/* The generic forms choose by type, with a context and without. */
#include "check.h"
#include "shmemx.h"

int main(void) {
  static float f = 1;
  static unsigned long long word = 1;
  static short small;
  static double from[2] = {1.5, 2.5}, to[2];
  static uint64_t signal;
  const double* constant = from;
  float one = 2;
  int me, right;
  shmem_init();
  me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  shmem_p(&f, 3.5f, right);
  shmem_p(SHMEM_CTX_DEFAULT, &small, 4, right);
  shmem_barrier_all();
  CHECK(shmem_g(&f, right) == 3.5f && shmem_g(SHMEM_CTX_DEFAULT, &small, right) == 4);
  shmem_barrier_all();
  shmem_put(&f, &one, 1, right);
  shmem_put(SHMEM_CTX_DEFAULT, to, constant, 2, right);
  shmem_barrier_all();
  CHECK(f == 2 && to[1] == 2.5);
  to[0] = 0;
  shmem_get_nbi(SHMEM_CTX_DEFAULT, to, constant, 1, right);
  shmem_quiet();
  CHECK(to[0] == 1.5);
  shmem_put_signal(to, from, 1, &signal, 1, SHMEM_SIGNAL_SET, right);
  shmem_wait_until(&signal, SHMEM_CMP_EQ, 1);
  shmem_barrier_all();
  CHECK_EQUAL(shmem_atomic_fetch_add(&word, 4, right), 1);
  CHECK_EQUAL(shmem_atomic_fetch(SHMEM_CTX_DEFAULT, &word, right), 5);
  shmem_atomic_xor(&word, 1, right);
  CHECK_EQUAL(shmem_atomic_compare_swap(SHMEM_CTX_DEFAULT, &word, 4, 9, right), 4);
  CHECK_EQUAL(shmem_swap((long*)&word, 2, right), 9);
  shmem_barrier_all();
  CHECK_EQUAL(shmem_test(&word, SHMEM_CMP_EQ, 2), 1);
  CHECK_EQUAL(shmem_sum_reduce(SHMEM_TEAM_WORLD, to, from, 2), 0);
  CHECK(to[1] == 2.5 * shmem_n_pes());
  CHECK_EQUAL(shmem_broadcast(SHMEM_TEAM_WORLD, to, from, 2, 0), 0);
  shmem_sync(SHMEM_TEAM_WORLD);
  shmemx_signal_add(&signal, 1, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 2);
  CHECK(shmemx_wtime() > 0);
  shmem_finalize();
  return 0;
}
