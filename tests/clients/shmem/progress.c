/* A PE that looks at its memory in a loop, without a call, sees what others do: puts, large and small,
 * static and in the heap, atomics, and signals; and it answers gets. */
#include "check.h"

enum { LARGE = 100000 };

/* Nothing but the loop. */
static void look_until(volatile const long* word, long value) {
  while (*word != value) continue;
}

int main(int argc, char** argv) {
  static long turn, first, done;
  static int level = SHMEM_THREAD_SINGLE;
  long *block, *other, fetched[64];
  int me, pes, right, round, i;
  if (argc > 1 && strcmp(argv[1], "multiple") == 0) level = SHMEM_THREAD_MULTIPLE;
  shmem_init_thread(level, &level);
  me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes;
  block = shmem_calloc(LARGE, sizeof *block);
  other = shmem_calloc(LARGE, sizeof *other);
  for (i = 0; i < LARGE; ++i) other[i] = i;
  shmem_barrier_all();

  /* A token goes round by puts. */
  for (round = 0; round < 3; ++round) {
    if (me != 0 || round != 0) look_until(&turn, round * pes + me);
    shmem_long_p(&turn, round * pes + me + 1, right);
    shmem_quiet();
  }
  if (me == 0) look_until(&turn, 3 * pes);

  /* Each in turn writes to all others and reads from them, while these look at one word. */
  for (i = 0; i < pes; ++i) {
    if (i == me) {
      int pe;
      for (pe = 0; pe < pes; ++pe) {
        if (pe == me) continue;
        shmem_long_put(block, other, LARGE, pe);
        shmem_fence();
        shmem_long_atomic_add(&first, 1, pe);
        shmem_long_get(fetched, other + LARGE - 64, 64, pe);
        CHECK_EQUAL(fetched[63], LARGE - 1);
        CHECK_EQUAL(shmem_long_atomic_fetch_add(&done, 0, pe), i);
        shmem_long_atomic_inc(&done, pe);
        shmem_quiet();
      }
      ++done, ++first;
    } else {
      look_until(&done, i + 1);
      CHECK_EQUAL(*(volatile long*)&first, i + 1);
      CHECK_EQUAL(((volatile long*)block)[LARGE - 1], LARGE - 1);
    }
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
