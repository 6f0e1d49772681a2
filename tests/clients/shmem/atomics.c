/* Atomics of all types: each does what it is named for, and many at once lose none. */
#include "check.h"

static int me, pes, right;

#define FOR_STANDARD(NAME, TYPE, ...)                                                 \
  static void NAME##_standard(void) {                                                 \
    static TYPE word;                                                                 \
    TYPE fetched = 0;                                                                 \
    word = 5;                                                                         \
    shmem_barrier_all();                                                              \
    CHECK(shmem_##NAME##_atomic_fetch(&word, right) == 5);                            \
    CHECK(shmem_##NAME##_atomic_fetch_add(&word, 3, right) == 5);                     \
    CHECK(shmem_##NAME##_atomic_fetch_inc(&word, right) == 8);                        \
    shmem_##NAME##_atomic_add(&word, 11, right);                                      \
    shmem_##NAME##_atomic_inc(&word, right);                                          \
    shmem_quiet();                                                                    \
    CHECK(shmem_##NAME##_atomic_swap(&word, 40, right) == 21);                        \
    CHECK(shmem_##NAME##_atomic_compare_swap(&word, 41, 50, right) == 40);            \
    CHECK(shmem_##NAME##_atomic_compare_swap(&word, 40, 60, right) == 40);            \
    shmem_##NAME##_atomic_fetch_add_nbi(&fetched, &word, 1, right);                   \
    shmem_quiet();                                                                    \
    CHECK(fetched == 60);                                                             \
    shmem_##NAME##_atomic_compare_swap_nbi(&fetched, &word, 61, 62, right);           \
    shmem_quiet();                                                                    \
    CHECK(fetched == 61);                                                             \
    shmem_barrier_all();                                                              \
    CHECK(word == 62);                                                                \
    word = 0;                                                                         \
    shmem_barrier_all();                                                              \
    for (int i = 0; i < 100; ++i) shmem_##NAME##_atomic_inc(&word, i % pes);          \
    for (int i = 0; i < 100; ++i) (void)shmem_##NAME##_atomic_fetch_add(&word, 2, 0); \
    shmem_barrier_all();                                                              \
    if (me == 0) CHECK(word == (TYPE)(pes * ((100 + pes - 1) / pes) + 200 * pes));    \
    shmem_barrier_all();                                                              \
  }
SHMEM_AMO_TYPES_(FOR_STANDARD, )

#define FOR_EXTENDED(NAME, TYPE, ...)                                \
  static void NAME##_extended(void) {                                \
    static TYPE word;                                                \
    TYPE fetched = 0;                                                \
    word = (TYPE)1.5;                                                \
    shmem_barrier_all();                                             \
    CHECK(shmem_##NAME##_atomic_fetch(&word, right) == (TYPE)1.5);   \
    shmem_##NAME##_atomic_set(&word, (TYPE)2.5, right);              \
    shmem_quiet();                                                   \
    CHECK(shmem_##NAME##_atomic_swap(&word, 7, right) == (TYPE)2.5); \
    shmem_##NAME##_atomic_fetch_nbi(&fetched, &word, right);         \
    shmem_quiet();                                                   \
    CHECK(fetched == 7);                                             \
    shmem_barrier_all();                                             \
  }
SHMEM_EXTENDED_AMO_TYPES_(FOR_EXTENDED, )

#define FOR_BITWISE(NAME, TYPE, ...)                                    \
  static void NAME##_bitwise(void) {                                    \
    static TYPE word;                                                   \
    word = 0x0f;                                                        \
    shmem_barrier_all();                                                \
    CHECK(shmem_##NAME##_atomic_fetch_and(&word, 0x3c, right) == 0x0f); \
    CHECK(shmem_##NAME##_atomic_fetch_or(&word, 0x30, right) == 0x0c);  \
    CHECK(shmem_##NAME##_atomic_fetch_xor(&word, 0x01, right) == 0x3c); \
    shmem_##NAME##_atomic_and(&word, 0x3f, right);                      \
    shmem_##NAME##_atomic_or(&word, 0x02, right);                       \
    shmem_##NAME##_atomic_xor(&word, 0x03, right);                      \
    shmem_barrier_all();                                                \
    CHECK(word == 0x3c);                                                \
    shmem_barrier_all();                                                \
  }
SHMEM_BITWISE_AMO_TYPES_(FOR_BITWISE, )

int main(void) {
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes;
#define CALL_STANDARD(NAME, TYPE, ...) NAME##_standard();
  SHMEM_AMO_TYPES_(CALL_STANDARD, )
#define CALL_EXTENDED(NAME, TYPE, ...) NAME##_extended();
  SHMEM_EXTENDED_AMO_TYPES_(CALL_EXTENDED, )
#define CALL_BITWISE(NAME, TYPE, ...) NAME##_bitwise();
  SHMEM_BITWISE_AMO_TYPES_(CALL_BITWISE, )
  shmem_finalize();
  return 0;
}
