/* Static and global variables are symmetric where they are: with their values, and under the pointers that
 * were taken before shmem_init; initialised or not, large or small, also when they begin at the first or end
 * at the last page of the data. */
#include "check.h"

int initialised = 41;
int zero;
static double large[40000];
static int* before = &initialised;
static const char* text = "text";
static struct {
  char name[8];
  long values[3];
} record = {"name", {1, 2, 3}};

static void inner_static(int right, int left, int me) {
  static short counter = 7;
  CHECK_EQUAL(counter, 7);
  shmem_barrier_all();
  shmem_short_p(&counter, (short)(me + 100), right);
  shmem_barrier_all();
  CHECK_EQUAL(counter, left + 100);
}

int main(void) {
  int me, pes, right, left, *zero_before = &zero;
  zero = 17;
  *before += 1;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes, left = (me + pes - 1) % pes;
  CHECK_EQUAL(initialised, 42);
  CHECK_EQUAL(zero, 17);
  CHECK(strcmp(text, "text") == 0 && strcmp(record.name, "name") == 0 && record.values[2] == 3);
  CHECK_EQUAL(shmem_addr_accessible(&zero, right), 1);
  CHECK_EQUAL(shmem_addr_accessible(&me, right), 0);
  CHECK_EQUAL(shmem_addr_accessible(text, right), 0);
  shmem_barrier_all();

  shmem_int_p(&zero, 1000 + me, right);
  shmem_long_atomic_add(&record.values[1], 10, right);
  large[39999] = me;
  shmem_barrier_all();
  CHECK_EQUAL(*zero_before, 1000 + left);
  CHECK_EQUAL(record.values[1], 12);
  CHECK_EQUAL((int)shmem_double_g(&large[39999], right), right);
  if (shmem_ptr(&zero, right)) CHECK_EQUAL(*(int*)shmem_ptr(&zero, right), 1000 + me);
  CHECK(shmem_ptr(&zero, me) == &zero);
  inner_static(right, left, me);
  shmem_barrier_all();
  shmem_finalize();
  /* They outlive the library. */
  if (zero != 1000 + left || initialised != 42) return 1;
  return 0;
}
