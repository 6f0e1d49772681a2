/* Waiting for and testing values that other PEs write, one, all, any and some of them. */
#include "check.h"

/* Calls that need nobody, over and over until others have come: they let these in all the same. */
static void fetches_in_a_loop(void) {
  static uint64_t signal;
  static long word;
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  int pe;
  for (pe = 0; pe < pes; ++pe)
    shmem_long_put_signal(&word, &(long){1}, 1, &signal, (uint64_t)me + 1, SHMEM_SIGNAL_ADD, pe);
  while (shmem_signal_fetch(&signal) != (uint64_t)pes * (uint64_t)(pes + 1) / 2)
    shmem_uint64_wait_until(&signal, SHMEM_CMP_NE, 0);
  CHECK_EQUAL(word, 1);
  shmem_barrier_all();
}

int main(void) {
  static int flags[64];
  static long turn;
  static int ivar;
  int status[64] = {0}, values[64], me, pes, i, round, seen;
  size_t indices[64], found;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes();

  /* A token goes round. */
  for (round = 0; round < 50; ++round) {
    if (me != 0 || round != 0) shmem_long_wait_until(&turn, SHMEM_CMP_EQ, round * pes + me);
    shmem_long_p(&turn, round * pes + me + 1, (me + 1) % pes);
  }
  shmem_barrier_all();

  /* Every PE sets its flag at every other one. */
  for (i = 0; i < pes; ++i) shmem_int_p(&flags[me], me + 1, i);
  for (i = 0; i < 64; ++i) status[i] = i >= pes, values[i] = i + 1;
  shmem_int_wait_until_all(flags, 64, status, SHMEM_CMP_NE, 0);
  CHECK_EQUAL(shmem_int_test_all(flags, (size_t)pes, NULL, SHMEM_CMP_GT, 0), 1);
  CHECK_EQUAL(shmem_int_test_all_vector(flags, (size_t)pes, NULL, SHMEM_CMP_EQ, values), 1);
  shmem_int_wait_until_all_vector(flags, 64, status, SHMEM_CMP_EQ, values);
  CHECK_EQUAL(shmem_int_wait_until_some(flags, 64, indices, status, SHMEM_CMP_GE, 1), pes);
  for (i = 0; i < pes; ++i) CHECK_EQUAL(indices[i], i);
  CHECK_EQUAL(shmem_int_wait_until_some_vector(flags, 64, indices, status, SHMEM_CMP_EQ, values), pes);
  /* Any of them, until all were named. */
  for (seen = 0; seen < pes; ++seen) {
    found = shmem_int_wait_until_any(flags, 64, status, SHMEM_CMP_NE, 0);
    CHECK(found < (size_t)pes && !status[found]);
    status[found] = 1;
  }
  CHECK(shmem_int_wait_until_any(flags, 64, status, SHMEM_CMP_NE, 0) == SIZE_MAX);
  CHECK(shmem_int_test_any(flags, 64, status, SHMEM_CMP_NE, 0) == SIZE_MAX);
  CHECK_EQUAL(shmem_int_test_some(flags, 64, indices, status, SHMEM_CMP_NE, 0), 0);
  CHECK_EQUAL(shmem_int_wait_until_some(flags, 64, indices, status, SHMEM_CMP_NE, 0), 0);
  CHECK(shmem_int_wait_until_any_vector(flags, 0, NULL, SHMEM_CMP_NE, values) == SIZE_MAX);

  /* Comparisons. */
  ivar = 5;
  CHECK(shmem_int_test(&ivar, SHMEM_CMP_EQ, 5) && !shmem_int_test(&ivar, SHMEM_CMP_NE, 5));
  CHECK(shmem_int_test(&ivar, SHMEM_CMP_GT, 4) && !shmem_int_test(&ivar, SHMEM_CMP_GT, 5));
  CHECK(shmem_int_test(&ivar, SHMEM_CMP_LT, 6) && !shmem_int_test(&ivar, SHMEM_CMP_LT, 5));
  CHECK(shmem_int_test(&ivar, SHMEM_CMP_GE, 5) && shmem_int_test(&ivar, SHMEM_CMP_LE, 5));
  shmem_barrier_all();
  /* A loop of tests alone ends, too. */
  shmem_int_p(&ivar, 9, (me + 1) % pes);
  while (!shmem_int_test(&ivar, SHMEM_CMP_EQ, 9)) continue;
  shmem_barrier_all();
  fetches_in_a_loop();
  shmem_finalize();
  return 0;
}
