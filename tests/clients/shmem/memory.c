/* The symmetric heap: blocks have the same offsets on all PEs, do not overlap, keep their contents, and come
 * back. */
#include "check.h"

int main(void) {
  enum { kBlocks = 60 };
  unsigned char* blocks[kBlocks] = {0};
  size_t sizes[kBlocks] = {0};
  unsigned seed = 1;
  static char* base;
  char *first, *whole;
  int me, right, round;
  shmem_init();
  me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  first = base = shmem_malloc(1);
  shmem_barrier_all();
  CHECK(shmem_malloc(0) == NULL);
  CHECK(shmem_malloc((size_t)1 << 50) == NULL);
  for (round = 0; round < 300; ++round) {
    const int i = (int)((seed = seed * 1103515245u + 12345u) >> 16) % kBlocks;
    size_t k;
    if (blocks[i]) {
      for (k = 0; k < sizes[i]; ++k) CHECK_EQUAL(blocks[i][k], (unsigned char)i);
      shmem_free(blocks[i]);
      blocks[i] = NULL;
    } else {
      const size_t alignment = (size_t)8 << (seed >> 20) % 10;
      sizes[i] = (seed >> 8) % 20000 + 1;
      blocks[i] = round % 3 ? shmem_malloc(sizes[i]) : shmem_align(alignment, sizes[i]);
      CHECK(blocks[i] != NULL);
      if (round % 3 == 0) CHECK_EQUAL((size_t)blocks[i] % alignment, 0);
      memset(blocks[i], i, sizes[i]);
    }
  }
  /* The same place everywhere. */
  {
    static ptrdiff_t offset;
    blocks[0] = blocks[0] ? blocks[0] : shmem_calloc(10, 10);
    offset = (char*)blocks[0] - base;
    shmem_barrier_all();
    CHECK_EQUAL(shmem_ptrdiff_g(&offset, right), offset);
  }
  first = shmem_realloc(first, 100000);
  CHECK(first != NULL);
  memset(first, 3, 100000);
  first = shmem_realloc(first, 10);
  CHECK(first && first[9] == 3);
  for (round = 0; round < kBlocks; ++round) shmem_free(blocks[round]);
  shmem_free(first);
  shmem_free(NULL);
  /* All of it in one piece again. */
  whole = shmem_malloc((size_t)8 << 20);
  CHECK(whole != NULL && shmem_malloc(1) == NULL);
  shmem_free(whole);
  shmem_finalize();
  return 0;
}
