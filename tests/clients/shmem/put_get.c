/* Put and get move elements of every type and size, here and between hosts. */
#include "check.h"

static int me, pes, right, left;

#define FOR_TYPE(NAME, TYPE, ...)                                                            \
  static void NAME##_elements(void) {                                                        \
    static TYPE there[12];                                                                   \
    TYPE mine[12], got[12];                                                                  \
    int i;                                                                                   \
    for (i = 0; i < 12; ++i) mine[i] = (TYPE)(me + i), got[i] = 0;                           \
    memset(there, 0, sizeof there);                                                          \
    shmem_barrier_all();                                                                     \
    shmem_##NAME##_put(there, mine, 3, right);                                               \
    shmem_##NAME##_p(there + 3, mine[3], right);                                             \
    shmem_##NAME##_put_nbi(there + 4, mine + 4, 2, right);                                   \
    shmem_##NAME##_iput(there + 6, mine + 6, 2, 3, 2, right);                                \
    shmem_##NAME##_ibput(there + 9, mine + 9, 2, 2, 1, 2, right);                            \
    shmem_barrier_all();                                                                     \
    for (i = 0; i < 6; ++i) CHECK(there[i] == (TYPE)(left + i));                             \
    CHECK(there[6] == (TYPE)(left + 6) && there[7] == 0 && there[8] == (TYPE)(left + 9));    \
    CHECK(there[9] == (TYPE)(left + 9) && there[10] == 0 && there[11] == (TYPE)(left + 11)); \
    shmem_##NAME##_get(got, there, 3, right);                                                \
    got[3] = shmem_##NAME##_g(there + 3, right);                                             \
    shmem_##NAME##_get_nbi(got + 4, there + 4, 2, right);                                    \
    shmem_quiet();                                                                           \
    shmem_##NAME##_iget(got + 6, there + 6, 1, 2, 2, right);                                 \
    for (i = 0; i < 6; ++i) CHECK(got[i] == (TYPE)(me + i));                                 \
    CHECK(got[6] == (TYPE)(me + 6) && got[7] == (TYPE)(me + 9));                             \
    shmem_barrier_all();                                                                     \
  }
SHMEM_RMA_TYPES_(FOR_TYPE, )

static void blocks_of_bytes(void) {
  static char there[4096];
  char mine[4096];
  size_t bytes, i;
  for (bytes = 0; bytes <= sizeof mine; bytes = bytes * 2 + 1) {
    memset(there, 0, sizeof there);
    for (i = 0; i < sizeof mine; ++i) mine[i] = (char)(i * 7 + (size_t)me);
    shmem_barrier_all();
    shmem_putmem(there, mine, bytes, right);
    shmem_barrier_all();
    for (i = 0; i < bytes; ++i) CHECK(there[i] == (char)(i * 7 + (size_t)left));
    if (bytes < sizeof there) CHECK(there[bytes] == 0);
    memset(mine, 0, sizeof mine);
    shmem_getmem(mine, there, bytes, right);
    for (i = 0; i < bytes; ++i) CHECK(mine[i] == (char)(i * 7 + (size_t)me));
    shmem_barrier_all();
  }
}

static void puts_with_signals(void) {
  static long data[512];
  static uint64_t signal;
  long mine[512];
  int round, i;
  shmem_barrier_all();
  for (round = 1; round <= 3; ++round) {
    for (i = 0; i < 512; ++i) mine[i] = round * 1000 + i;
    shmem_long_put_signal(data, mine, 512, &signal, 1, SHMEM_SIGNAL_ADD, right);
    CHECK_EQUAL(shmem_signal_wait_until(&signal, SHMEM_CMP_GE, (uint64_t)round), round);
    for (i = 0; i < 512; ++i) CHECK_EQUAL(data[i], round * 1000 + i);
    shmem_barrier_all();
  }
  shmem_long_put_signal_nbi(data, mine, 1, &signal, 77, SHMEM_SIGNAL_SET, right);
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 77);
  CHECK_EQUAL(shmem_signal_fetch(&signal), 77);
  shmem_barrier_all();
}

/* What a context has under way is complete after its own quiet. */
static void contexts(void) {
  static long there[64];
  shmem_ctx_t context;
  long i, mine[64], got[64] = {0};
  for (i = 0; i < 64; ++i) mine[i] = me * 100 + i;
  CHECK_EQUAL(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &context), 0);
  shmem_barrier_all();
  for (i = 0; i < 64; ++i) shmem_ctx_long_put_nbi(context, there + i, mine + i, 1, right);
  shmem_ctx_fence(context);
  shmem_ctx_quiet(context);
  shmem_sync_all();
  for (i = 0; i < 64; ++i) CHECK_EQUAL(there[i], left * 100 + i);
  shmem_ctx_long_get_nbi(context, got, there, 64, right);
  shmem_ctx_quiet(context);
  for (i = 0; i < 64; ++i) CHECK_EQUAL(got[i], me * 100 + i);
  shmem_ctx_destroy(context);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes, left = (me + pes - 1) % pes;
#define CALL_TYPE(NAME, TYPE, ...) NAME##_elements();
  SHMEM_RMA_TYPES_(CALL_TYPE, )
  blocks_of_bytes();
  puts_with_signals();
  contexts();
  shmem_finalize();
  return 0;
}
