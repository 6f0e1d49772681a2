/* Several threads put and add at once, each on a context of its own, all on the default one; and one
 * completes what another began. */
#include <pthread.h>

#include "check.h"

enum { kThreads = 3, kElements = 200 };
static long there[kThreads][kElements];
static long counter;
static int me, pes, right;
static pthread_barrier_t all_put;

static void* work(void* argument) {
  const int thread = (int)(long)argument;
  shmem_ctx_t context = SHMEM_CTX_DEFAULT;
  static long mine[kThreads][kElements];
  int i;
  if (thread != 0) CHECK_EQUAL(shmem_ctx_create(SHMEM_CTX_PRIVATE, &context), 0);
  for (i = 0; i < kElements; ++i) {
    mine[thread][i] = me * 1000 + thread * 300 + i;
    shmem_ctx_long_put_nbi(context, &there[thread][i], &mine[thread][i], 1, right);
    shmem_ctx_long_atomic_inc(context, &counter, right);
    CHECK(shmem_long_atomic_fetch_add(&counter, 0, right) > 0);
  }
  if (thread != 0) {
    shmem_ctx_quiet(context);
    shmem_ctx_destroy(context);
  }
  pthread_barrier_wait(&all_put);
  if (thread == 1) shmem_quiet(); /* what thread 0 has put on the default context */
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int provided, i, k;
  CHECK_EQUAL(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided), 0);
  if (provided != SHMEM_THREAD_MULTIPLE) return 1;
  shmem_query_thread(&provided);
  CHECK_EQUAL(provided, SHMEM_THREAD_MULTIPLE);
  me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes;
  pthread_barrier_init(&all_put, NULL, kThreads);
  for (i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)(long)i);
  for (i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  shmem_sync_all();
  for (k = 0; k < kThreads; ++k)
    for (i = 0; i < kElements; ++i) CHECK_EQUAL(there[k][i], (me + pes - 1) % pes * 1000 + k * 300 + i);
  CHECK_EQUAL(counter, kThreads * kElements);
  shmem_finalize();
  return 0;
}
