/* The older collectives: over all PEs and over every second one, again and again with one pSync, which is as
 * it was afterwards. */
#include "check.h"

static long psync[SHMEM_REDUCE_SYNC_SIZE];
static long source[64], dest[256], work[64];

int main(void) {
  int me, pes, stride, round, i;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes();
  for (i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) psync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  for (stride = 0; stride < 2; ++stride) {
    const int size = stride ? (pes + 1) / 2 : pes, index = me >> stride;
    if (!stride || me % 2 == 0) {
      for (round = 0; round < 10; ++round) {
        const long base = round * 1000;
        for (i = 0; i < 64; ++i) source[i] = base + index * 100 + i;
        for (i = 0; i < 256; ++i) dest[i] = -1;
        shmem_barrier(0, stride, size, psync);
        shmem_broadcast64(dest, source, 5, size - 1, 0, stride, size, psync);
        CHECK_EQUAL(dest[4], index == size - 1 ? -1 : base + (size - 1) * 100 + 4);
        shmem_sync(0, stride, size, psync);
        shmem_fcollect64(dest, source, 7, 0, stride, size, psync);
        for (i = 0; i < size; ++i) CHECK_EQUAL(dest[7 * i + 6], base + i * 100 + 6);
        shmem_barrier(0, stride, size, psync);
        shmem_collect64(dest, source, (size_t)index + 1, 0, stride, size, psync);
        for (i = 0; i < size; ++i) CHECK_EQUAL(dest[i * (i + 1) / 2 + i], base + i * 100 + i);
        shmem_barrier(0, stride, size, psync);
        shmem_long_sum_to_all(dest, source, 9, 0, stride, size, work, psync);
        CHECK_EQUAL(dest[8], size * (base + 8) + 100L * size * (size - 1) / 2);
        shmem_barrier(0, stride, size, psync);
        shmem_long_max_to_all(source, source, 3, 0, stride, size, work, psync);
        CHECK_EQUAL(source[2], base + (size - 1) * 100 + 2);
        shmem_barrier(0, stride, size, psync);
        shmem_alltoall64(dest, source + 10, 2, 0, stride, size, psync);
        for (i = 0; i < size; ++i) CHECK_EQUAL(dest[2 * i + 1], base + i * 100 + 10 + 2 * index + 1);
        shmem_barrier(0, stride, size, psync);
      }
    }
    shmem_barrier_all();
    for (i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) CHECK_EQUAL(psync[i], SHMEM_SYNC_VALUE);
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
