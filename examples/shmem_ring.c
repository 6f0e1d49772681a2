#include <shmem.h>
#include <stdio.h>

static long from = -1;  // static and global variables are symmetric

int main(void) {
  shmem_init();
  int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  shmem_long_p(&from, me, right);
  shmem_barrier_all();
  printf("PE %d was written to by PE %ld\n", me, from);
  shmem_finalize();
  return 0;
}
