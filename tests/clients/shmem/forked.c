/* A process that a PE has forked ends with its own code, and without the job, in which it takes no part; also
 * while the PE's progress thread answers others. */
#define _DEFAULT_SOURCE 1
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

int main(void) {
  static long word;
  int me, pes, i, status;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes();
  for (i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) exit(i % 2 == 0 ? 0 : 7);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, i % 2 == 0 ? 0 : 7 << 8);
    shmem_long_atomic_inc(&word, (me + 1) % pes);
  }
  shmem_barrier_all();
  CHECK_EQUAL(word, 20);
  shmem_finalize();
  return 0;
}
