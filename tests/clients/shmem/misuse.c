/* What a program may do wrong; the mode is the first argument. Each ends the job with one line. */
#include <signal.h>

#include "check.h"

/* PE 1 dies while the others wait for it. */
static void die(const char* where) {
  static long lock, sums[8192];
  if (!strcmp(where, "killed-with-a-lock")) {
    if (shmem_my_pe() == 1) shmem_set_lock(&lock);
    shmem_barrier_all();
    if (shmem_my_pe() == 1) raise(SIGKILL);
    shmem_set_lock(&lock);
  } else if (!strcmp(where, "killed-in-a-barrier")) {
    if (shmem_my_pe() == 1) raise(SIGKILL);
    shmem_barrier_all();
  } else if (!strcmp(where, "killed-in-a-reduction")) {
    if (shmem_my_pe() == 1) raise(SIGKILL);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, sums, 8192);
  } else if (!strcmp(where, "killed-before-a-put")) {
    if (shmem_my_pe() == 1) raise(SIGKILL);
    shmem_long_wait_until(sums, SHMEM_CMP_NE, 0);
  } else if (!strcmp(where, "hang")) {
    long* const words = shmem_malloc(64);
    if (shmem_my_pe() == 0) shmem_set_lock(&lock);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) shmem_long_wait_until(words + 2, SHMEM_CMP_NE, words[2]);
    shmem_set_lock(&lock);
  }
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  static long word;
  long on_stack = 0, *block;
  if (!strcmp(mode, "before")) (void)!shmem_malloc(8);
  if (!strcmp(mode, "differ") && getenv("AQUEDUCT_RANK"))
    setenv("SHMEM_SYMMETRIC_SIZE", getenv("AQUEDUCT_RANK")[0] == '0' ? "1M" : "2M", 1);
  shmem_init();
  block = shmem_malloc(64);
  if (!strncmp(mode, "stack", 5)) shmem_long_p(&on_stack, 1, 1);
  if (!strcmp(mode, "pe")) shmem_long_p(&word, 1, shmem_n_pes());
  if (!strcmp(mode, "twice")) shmem_free(block), shmem_free(block);
  if (!strcmp(mode, "freed")) shmem_free(block), shmem_long_p(block, 1, 0);
  if (!strcmp(mode, "overlap")) shmem_long_put(block, block + 1, 4, 0);
  if (!strcmp(mode, "mismatch")) shmem_my_pe() ? shmem_barrier_all() : shmem_sync_all();
  if (!strcmp(mode, "other-size"))
    shmem_long_fcollect(SHMEM_TEAM_WORLD, block, &word, (size_t)shmem_my_pe() + 1);
  die(mode);
  if (!strcmp(mode, "twice-begun")) {
    shmem_init(); /* as libraries in one program do: the last shmem_finalize ends it */
    shmem_finalize();
    shmem_barrier_all();
    if (shmem_my_pe() == 0) printf("still there\n");
  }
  shmem_finalize();
  if (!strcmp(mode, "after")) (void)!shmem_malloc(8);
  if (!strcmp(mode, "again")) shmem_init();
  return 0;
}
