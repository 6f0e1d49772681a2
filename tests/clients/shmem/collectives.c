/* Collectives over a team: results of all types and of sizes that take each of the ways they go, also in
 * place. */
#include "check.h"

enum { kMost = 6000 };
static int me, pes;
static long *source, *dest;

static void fill(size_t n) {
  size_t i;
  for (i = 0; i < n * (size_t)pes; ++i) source[i] = me * 100000 + (long)i, dest[i] = -1;
  shmem_barrier_all();
}

/* Of a collect, in which PEs have different numbers of elements, one of them none. */
static size_t own(int pe, size_t n) { return pe == 1 || n < (size_t)pe ? 0 : n - (size_t)pe; }

static void moves(size_t n) {
  const int root = (int)n % pes;
  size_t i;
  int pe;
  fill(n);
  CHECK_EQUAL(shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, n, root), 0);
  for (i = 0; i < n; ++i) CHECK_EQUAL(dest[i], root * 100000 + (long)i);
  fill(n);
  CHECK_EQUAL(shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, n), 0);
  for (pe = 0; pe < pes; ++pe)
    for (i = 0; i < n; ++i) CHECK_EQUAL(dest[(size_t)pe * n + i], pe * 100000 + (long)i);
  fill(n);
  CHECK_EQUAL(shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, n), 0);
  for (pe = 0; pe < pes; ++pe)
    for (i = 0; i < n; ++i) CHECK_EQUAL(dest[(size_t)pe * n + i], pe * 100000 + (long)((size_t)me * n + i));
  fill(n);
  CHECK_EQUAL(shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, own(me, n)), 0);
  {
    long* at = dest;
    for (pe = 0; pe < pes; ++pe)
      for (i = 0; i < own(pe, n); ++i) CHECK_EQUAL(*at++, pe * 100000 + (long)i);
  }
  if (n <= 100) {
    fill(2 * n);
    CHECK_EQUAL(shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest, source, 2, 1, n), 0);
    for (pe = 0; pe < pes; ++pe)
      for (i = 0; i < n; ++i) {
        CHECK_EQUAL(dest[2 * ((size_t)pe * n + i)], pe * 100000 + (long)((size_t)me * n + i));
        CHECK_EQUAL(dest[2 * ((size_t)pe * n + i) + 1], -1);
      }
  }
}

static void reductions(size_t n) {
  size_t i;
  long sum;
  int in_place;
  for (in_place = 0; in_place < 2; ++in_place) {
    long* const to = in_place ? source : dest;
    fill(n);
    CHECK_EQUAL(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, source, n), 0);
    sum = 100000L * pes * (pes - 1) / 2;
    for (i = 0; i < n; ++i) CHECK_EQUAL(to[i], sum + (long)i * pes);
    fill(n);
    CHECK_EQUAL(shmem_long_max_reduce(SHMEM_TEAM_WORLD, to, source, n), 0);
    for (i = 0; i < n; ++i) CHECK_EQUAL(to[i], (pes - 1) * 100000 + (long)i);
  }
  fill(n);
  CHECK_EQUAL(shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, source, n), 0);
  for (i = 0; i < n; ++i) CHECK_EQUAL(dest[i], 100000L * me * (me + 1) / 2 + (long)i * (me + 1));
  fill(n);
  CHECK_EQUAL(shmem_long_sum_exscan(SHMEM_TEAM_WORLD, source, source, n), 0);
  for (i = 0; i < n; ++i) CHECK_EQUAL(source[i], 100000L * me * (me - 1) / 2 + (long)i * me);
  shmem_barrier_all();
}

#define FOR_ARITHMETIC(NAME, TYPE, ...)                                                                     \
  static void NAME##_arithmetic(void) {                                                                     \
    static TYPE from[5], to[5];                                                                             \
    TYPE product = 1, sum = 0;                                                                              \
    int i;                                                                                                  \
    for (i = 0; i < pes; ++i) product = (TYPE)(product * (TYPE)(i + 1)), sum = (TYPE)(sum + (TYPE)(i + 1)); \
    for (i = 0; i < 5; ++i) from[i] = (TYPE)(me + 1);                                                       \
    shmem_barrier_all();                                                                                    \
    CHECK_EQUAL(shmem_##NAME##_sum_reduce(SHMEM_TEAM_WORLD, to, from, 5), 0);                               \
    CHECK(to[4] == sum);                                                                                    \
    shmem_barrier_all();                                                                                    \
    CHECK_EQUAL(shmem_##NAME##_prod_reduce(SHMEM_TEAM_WORLD, to, from, 5), 0);                              \
    CHECK(to[4] == product);                                                                                \
    shmem_barrier_all();                                                                                    \
  }
#define FOR_ORDERED(NAME, TYPE, ...)                            \
  FOR_ARITHMETIC(NAME, TYPE, )                                  \
  static void NAME##_ordered(void) {                            \
    static TYPE from, to;                                       \
    from = (TYPE)(me + 3);                                      \
    shmem_barrier_all();                                        \
    shmem_##NAME##_min_reduce(SHMEM_TEAM_WORLD, &to, &from, 1); \
    CHECK(to == 3);                                             \
    shmem_barrier_all();                                        \
    shmem_##NAME##_max_reduce(SHMEM_TEAM_WORLD, &to, &from, 1); \
    CHECK(to == (TYPE)(pes + 2));                               \
    shmem_barrier_all();                                        \
  }
#define FOR_INTEGER(NAME, TYPE, ...)                                   \
  FOR_ORDERED(NAME, TYPE, )                                            \
  static void NAME##_bitwise(void) {                                   \
    static TYPE from, to;                                              \
    from = (TYPE)(0x10 | (me == 0 ? 1 : 2));                           \
    shmem_barrier_all();                                               \
    shmem_##NAME##_and_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);        \
    CHECK(to == (pes == 1 ? 0x11 : 0x10));                             \
    shmem_barrier_all();                                               \
    shmem_##NAME##_or_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);         \
    CHECK(to == (pes == 1 ? 0x11 : 0x13));                             \
    shmem_barrier_all();                                               \
    shmem_##NAME##_xor_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);        \
    CHECK(to == (TYPE)((pes % 2 ? 0x10 : 0) | 1 | (pes % 2 ? 0 : 2))); \
    shmem_barrier_all();                                               \
  }
SHMEM_INTEGER_REDUCE_TYPES_(FOR_INTEGER, )
SHMEM_FLOATING_TYPES_(FOR_ORDERED, )
SHMEM_COMPLEX_TYPES_(FOR_ARITHMETIC, )

int main(void) {
  static const size_t sizes[] = {5, 100, 1500, kMost};
  size_t i;
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes();
  source = shmem_malloc(sizeof(long) * kMost * (size_t)pes);
  dest = shmem_malloc(sizeof(long) * kMost * (size_t)pes);
  CHECK(source && dest);
  for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) moves(sizes[i]), reductions(sizes[i]);
#define CALL_ARITHMETIC(NAME, TYPE, ...) NAME##_arithmetic();
#define CALL_ORDERED(NAME, TYPE, ...) NAME##_ordered();
#define CALL_BITWISE(NAME, TYPE, ...) NAME##_bitwise();
  SHMEM_INTEGER_REDUCE_TYPES_(CALL_ARITHMETIC, )
  SHMEM_INTEGER_REDUCE_TYPES_(CALL_ORDERED, )
  SHMEM_INTEGER_REDUCE_TYPES_(CALL_BITWISE, )
  SHMEM_FLOATING_TYPES_(CALL_ARITHMETIC, )
  SHMEM_FLOATING_TYPES_(CALL_ORDERED, )
  SHMEM_COMPLEX_TYPES_(CALL_ARITHMETIC, )
  shmem_finalize();
  return 0;
}
