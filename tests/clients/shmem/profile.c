/* A tool in the place of the library's functions, which goes on to them. */
#include <pshmem.h>

#include "check.h"

static int puts_seen, barriers_seen;

void shmem_long_p(long* dest, long value, int pe) {
  ++puts_seen;
  pshmem_long_p(dest, value, pe);
}

void shmem_barrier_all(void) {
  ++barriers_seen;
  pshmem_barrier_all();
}

int main(void) {
  static long word;
  shmem_init();
  shmem_long_p(&word, 7, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_barrier_all();
  CHECK_EQUAL(word, 7);
  CHECK_EQUAL(puts_seen, 1);
  CHECK_EQUAL(barriers_seen, 1);
  shmem_finalize();
  return 0;
}
