/* What a program may do wrong; the mode is the first argument. Each ends the job with one line. */
#include "check.h"

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  static long word;
  long on_stack = 0, *block;
  if (!strcmp(mode, "before")) (void)!shmem_malloc(8);
  if (!strcmp(mode, "differ") && getenv("AQUEDUCT_RANK"))
    setenv("SHMEM_SYMMETRIC_SIZE", getenv("AQUEDUCT_RANK")[0] == '0' ? "1M" : "2M", 1);
  shmem_init();
  block = shmem_malloc(64);
  if (!strcmp(mode, "stack")) shmem_long_p(&on_stack, 1, 1);
  if (!strcmp(mode, "pe")) shmem_long_p(&word, 1, shmem_n_pes());
  if (!strcmp(mode, "twice")) shmem_free(block), shmem_free(block);
  if (!strcmp(mode, "freed")) shmem_free(block), shmem_long_p(block, 1, 0);
  if (!strcmp(mode, "overlap")) shmem_long_put(block, block + 1, 4, 0);
  if (!strcmp(mode, "mismatch")) shmem_my_pe() ? shmem_barrier_all() : shmem_sync_all();
  if (!strcmp(mode, "other-size"))
    shmem_long_fcollect(SHMEM_TEAM_WORLD, block, &word, (size_t)shmem_my_pe() + 1);
  shmem_finalize();
  if (!strcmp(mode, "after")) (void)!shmem_malloc(8);
  if (!strcmp(mode, "again")) shmem_init();
  return 0;
}
