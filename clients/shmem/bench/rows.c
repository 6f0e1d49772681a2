/* Rows for the comparison with another OpenSHMEM (scripts/against_oshmem): the shapes of the public suites'
 * performance programs, in nanoseconds.
 *
 *   rows [TEXT]      with 2 PEs or more; only rows whose name contains TEXT
 *
 * Prints "NAME NANOSECONDS" of one operation, the best of kRounds rounds. Needs no more than version 1.4.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kLargest = 1 << 22, kWindow = 64, kRounds = 4, kSyncLongs = 1024, kTurns = 16 };
static const double kRoundSeconds = 0.004;

static const char* filter = "";
static int me, pes, peer;
static long psync[kTurns * kSyncLongs]; /* in turns, as active sets want it */
static unsigned turn;
static long work_longs[kLargest / 8 / 2 + kSyncLongs];
static double work_doubles[kLargest / 8 / 2 + kSyncLongs];
static long word, ping, lock;
static long bares[32] __attribute__((aligned(128))); /* no other word near it is used */
#define BARE bares[16]
static char static_bytes[1 << 16];
static char *source, *dest; /* in the heap */
static char* own;           /* private */
static shmem_ctx_t context;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long* sync_longs(void) { return psync + turn++ % kTurns * kSyncLongs; }

static long of_first(long value) {
  static long from, to;
  from = to = value;
  shmem_barrier_all();
  shmem_broadcast64(&to, &from, 1, 0, 0, 0, pes, sync_longs());
  shmem_barrier_all();
  return to;
}

typedef void (*Operation)(size_t bytes, long repeats);
enum Side { kOneSide, kAllSides };

static double seconds(Operation operation, size_t bytes, long repeats, enum Side side) {
  double begin, took;
  shmem_barrier_all();
  begin = now();
  if (side == kAllSides || me == 0) operation(bytes, repeats);
  took = now() - begin;
  shmem_barrier_all();
  return took;
}

/* `operations`: how many of them one repetition does. */
static void row(const char* name, size_t bytes, Operation operation, enum Side side, int operations) {
  char label[64];
  long repeats = 1;
  double best = 1e30;
  if (bytes)
    snprintf(label, sizeof label, "%s %zu", name, bytes);
  else
    snprintf(label, sizeof label, "%s", name);
  if (!strstr(label, filter)) return;
  for (;;) {
    const double took = seconds(operation, bytes, repeats, side);
    long wanted = repeats;
    if (took < kRoundSeconds)
      wanted = took * 16 < kRoundSeconds ? repeats * 16 : (long)((double)repeats * kRoundSeconds / took) + 1;
    wanted = of_first(wanted);
    if (wanted <= repeats + repeats / 4) break;
    repeats = wanted;
  }
  for (int round = 0; round < kRounds; ++round) {
    const double took = seconds(operation, bytes, repeats, side);
    if (took < best) best = took;
  }
  if (me == 0) {
    printf("%s %.3f\n", label, best / (double)repeats / operations * 1e9);
    fflush(stdout);
  }
}

/* clang-format off */
#define REPEATED(NAME, ...) static void NAME(size_t bytes, long repeats) { (void)bytes; for (long i = 0; i < repeats; ++i) { __VA_ARGS__; } }
#define WINDOW(NAME, ...) REPEATED(NAME, for (int k = 0; k < kWindow; ++k) { __VA_ARGS__; } shmem_quiet())

REPEATED(p_and_quiet, shmem_long_p((long*)dest, i, peer); shmem_quiet())
REPEATED(g, *(volatile long*)own = shmem_long_g((long*)source, peer))
REPEATED(put, shmem_putmem(dest, source, bytes, peer))
REPEATED(put_and_quiet, shmem_putmem(dest, source, bytes, peer); shmem_quiet())
REPEATED(get, shmem_getmem(own, source, bytes, peer))
WINDOW(put_window, shmem_putmem(dest, source, bytes, peer))
WINDOW(put_nbi_window, shmem_putmem_nbi(dest, source, bytes, peer))
WINDOW(get_nbi_window, shmem_getmem_nbi(own, source, bytes, peer))
WINDOW(get_window, shmem_getmem(own, source, bytes, peer))
WINDOW(rate, shmem_putmem_nbi(dest + 8 * k, source + 8 * k, bytes, peer))
REPEATED(put_context, shmem_ctx_putmem(context, dest, source, bytes, peer))
REPEATED(get_context, shmem_ctx_getmem(context, own, source, bytes, peer))
REPEATED(put_static, shmem_putmem(static_bytes, own, bytes, peer))
REPEATED(get_static, shmem_getmem(own, static_bytes, bytes, peer))
REPEATED(p_static, shmem_long_p(&word, i, peer))
REPEATED(p_heap, shmem_long_p((long*)dest, i, peer))
REPEATED(iput, shmem_long_iput((long*)dest, (long*)source, 2, 1, bytes / 8, peer))
REPEATED(iget, shmem_long_iget((long*)own, (long*)source, 1, 2, bytes / 8, peer))

#define WORD ((long*)dest)
REPEATED(atomic_set, shmem_long_atomic_set(WORD, i, peer))
REPEATED(atomic_inc, shmem_long_atomic_inc(WORD, peer))
REPEATED(atomic_add, shmem_long_atomic_add(WORD, 3, peer))
REPEATED(atomic_and, shmem_ulong_atomic_and((unsigned long*)dest, 3, peer))
REPEATED(atomic_or, shmem_ulong_atomic_or((unsigned long*)dest, 3, peer))
REPEATED(atomic_xor, shmem_ulong_atomic_xor((unsigned long*)dest, 3, peer))
REPEATED(atomic_fetch, (void)shmem_long_atomic_fetch(WORD, peer))
REPEATED(atomic_compare_swap, (void)shmem_long_atomic_compare_swap(WORD, i, i + 1, peer))
REPEATED(atomic_swap, (void)shmem_long_atomic_swap(WORD, i, peer))
REPEATED(atomic_fetch_inc, (void)shmem_long_atomic_fetch_inc(WORD, peer))
REPEATED(atomic_fetch_add, (void)shmem_long_atomic_fetch_add(WORD, 3, peer))
REPEATED(atomic_fetch_and, (void)shmem_ulong_atomic_fetch_and((unsigned long*)dest, 3, peer))
REPEATED(atomic_fetch_or, (void)shmem_ulong_atomic_fetch_or((unsigned long*)dest, 3, peer))
REPEATED(atomic_fetch_xor, (void)shmem_ulong_atomic_fetch_xor((unsigned long*)dest, 3, peer))
REPEATED(atomic_fetch_add_int, (void)shmem_int_atomic_fetch_add((int*)dest, 3, peer))
REPEATED(atomic_fetch_add_static, (void)shmem_long_atomic_fetch_add(&word, 3, peer))
/* The instructions themselves, without any library, on this PE's own word: what no implementation can beat. */
REPEATED(bare_fetch_add, (void)__atomic_fetch_add(&BARE, 3, __ATOMIC_SEQ_CST))
REPEATED(bare_compare_swap, {
  long expected = i;
  (void)__atomic_compare_exchange_n(&BARE, &expected, i + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
})

REPEATED(fence, shmem_fence())
REPEATED(quiet, shmem_quiet())
REPEATED(locked, shmem_set_lock(&lock); shmem_clear_lock(&lock))
REPEATED(barrier_all, shmem_barrier_all())
REPEATED(sync_all, shmem_sync_all())
/* The root changes, so that none runs ahead of the others. */
REPEATED(broadcast, shmem_broadcast64(dest, source, bytes / 8, (int)(i % pes), 0, 0, pes, sync_longs()))
REPEATED(collect, shmem_collect64(dest, source, bytes / 8, 0, 0, pes, sync_longs()))
REPEATED(fcollect, shmem_fcollect64(dest, source, bytes / 8, 0, 0, pes, sync_longs()))
REPEATED(alltoall, shmem_alltoall64(dest, source, bytes / 8, 0, 0, pes, sync_longs()))
REPEATED(alltoalls, shmem_alltoalls64(dest, source, 2, 2, bytes / 8, 0, 0, pes, sync_longs()))
REPEATED(sum_long, shmem_long_sum_to_all((long*)dest, (long*)source, (int)(bytes / 8), 0, 0, pes, work_longs, sync_longs()))
REPEATED(max_double, shmem_double_max_to_all((double*)dest, (double*)source, (int)(bytes / 8), 0, 0, pes, work_doubles, sync_longs()))
/* clang-format on */

static void ping_pong(size_t bytes, long repeats) {
  static long count;
  (void)bytes;
  if (me > 1) return;
  for (long i = 0; i < repeats; ++i) {
    ++count;
    if (me == 0) shmem_long_atomic_set(&ping, count, 1);
    shmem_long_wait_until(&ping, SHMEM_CMP_EQ, count);
    if (me == 1) shmem_long_atomic_set(&ping, count, 0);
  }
}

static void ping_pong_bytes(size_t bytes, long repeats) {
  static long count;
  long* const last = (long*)(dest + bytes - sizeof(long));
  if (me > 1) return;
  for (long i = 0; i < repeats; ++i) {
    ++count;
    if (me == 1) shmem_long_wait_until(last, SHMEM_CMP_EQ, count);
    *(long*)(source + bytes - sizeof(long)) = count;
    shmem_putmem(dest, source, bytes, 1 - me);
    if (me == 0) shmem_long_wait_until(last, SHMEM_CMP_EQ, count);
  }
}

/* How long after a put a PE answers that has waited for it for long: the worst thing that a wait can do. */
static void woken(void) {
  enum { kTimes = 15 };
  double took[kTimes];
  if (!strstr("woken after 20 ms", filter)) return;
  ping = 0;
  shmem_barrier_all();
  for (int i = 0; i < kTimes; ++i) {
    if (me == 0) {
      struct timespec pause = {0, 20000000 + i * 37000};
      double begin;
      nanosleep(&pause, 0);
      begin = now();
      shmem_long_p(&ping, i + 1, 1);
      shmem_quiet();
      shmem_long_wait_until(&ping, SHMEM_CMP_EQ, i + 1);
      took[i] = now() - begin;
      for (int k = i; k > 0 && took[k] < took[k - 1]; --k)
        begin = took[k], took[k] = took[k - 1], took[k - 1] = begin;
    } else if (me == 1) {
      shmem_long_wait_until(&ping, SHMEM_CMP_EQ, i + 1);
      shmem_long_p(&ping, i + 1, 0);
      shmem_quiet();
    }
  }
  if (me == 0) printf("woken after 20 ms %.3f\n", took[kTimes / 2] * 1e9), fflush(stdout);
  shmem_barrier_all();
}

static void sizes(const char* name, Operation operation, enum Side side, int operations, size_t from,
                  size_t to) {
  static const size_t kSizes[] = {8, 64, 512, 4096, 16384, 65536, 262144, 1 << 20, 1 << 22};
  for (size_t i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
    if (kSizes[i] >= from && kSizes[i] <= to) row(name, kSizes[i], operation, side, operations);
  }
}

int main(int argc, char** argv) {
  if (argc > 1) filter = argv[1];
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  peer = me ^ 1;
  if (peer >= pes) peer = 0;
  for (int i = 0; i < kTurns * kSyncLongs; ++i) psync[i] = SHMEM_SYNC_VALUE;
  dest = shmem_align(4096, (size_t)kLargest * (size_t)pes * 2);
  source = shmem_align(4096, (size_t)kLargest * (size_t)pes * 2);
  own = aligned_alloc(4096, kLargest);
  if (!dest || !source || !own) return fprintf(stderr, "no room: set SHMEM_SYMMETRIC_SIZE\n"), 1;
  memset(source, 1, (size_t)kLargest * (size_t)pes * 2);
  memset(dest, 1, (size_t)kLargest * (size_t)pes * 2);
  memset(own, 1, kLargest);
  shmem_ctx_create(0, &context);

  row("p, quiet", 0, p_and_quiet, kOneSide, 1);
  row("g", 0, g, kOneSide, 1);
  row("p to the heap", 0, p_heap, kOneSide, 1);
  row("p to a static variable", 0, p_static, kOneSide, 1);
  sizes("put", put, kOneSide, 1, 8, kLargest);
  sizes("put, quiet", put_and_quiet, kOneSide, 1, 8, kLargest);
  sizes("get", get, kOneSide, 1, 8, kLargest);
  sizes("put to a static variable", put_static, kOneSide, 1, 8, sizeof static_bytes);
  sizes("get from a static variable", get_static, kOneSide, 1, 8, sizeof static_bytes);
  sizes("put in a context", put_context, kOneSide, 1, 8, 65536);
  sizes("get in a context", get_context, kOneSide, 1, 8, 65536);
  row("rate of 8 bytes", 8, rate, kOneSide, kWindow);
  sizes("64 puts", put_window, kOneSide, kWindow, 8, 1 << 20);
  sizes("64 puts nbi", put_nbi_window, kOneSide, kWindow, 8, 1 << 20);
  sizes("64 gets", get_window, kOneSide, kWindow, 8, 1 << 20);
  sizes("64 gets nbi", get_nbi_window, kOneSide, kWindow, 8, 1 << 20);
  sizes("64 puts both ways", put_window, kAllSides, kWindow, 8, 1 << 20);
  sizes("64 puts nbi both ways", put_nbi_window, kAllSides, kWindow, 8, 1 << 20);
  sizes("64 gets both ways", get_window, kAllSides, kWindow, 8, 1 << 20);
  sizes("64 gets nbi both ways", get_nbi_window, kAllSides, kWindow, 8, 1 << 20);
  sizes("iput", iput, kOneSide, 1, 64, 65536);
  sizes("iget", iget, kOneSide, 1, 64, 65536);

#define ATOMIC(NAME) row("atomic " #NAME, 0, atomic_##NAME, kOneSide, 1)
  ATOMIC(set);
  ATOMIC(inc);
  ATOMIC(add);
  ATOMIC(and);
  ATOMIC(or);
  ATOMIC(xor);
  ATOMIC(fetch);
  ATOMIC(compare_swap);
  ATOMIC(swap);
  ATOMIC(fetch_inc);
  ATOMIC(fetch_add);
  ATOMIC(fetch_and);
  ATOMIC(fetch_or);
  ATOMIC(fetch_xor);
  ATOMIC(fetch_add_int);
  ATOMIC(fetch_add_static);
  row("bare instruction fetch_add", 0, bare_fetch_add, kOneSide, 1);
  row("bare instruction compare_swap", 0, bare_compare_swap, kOneSide, 1);
  row("atomic fetch_add both ways", 0, atomic_fetch_add, kAllSides, 1);

  row("fence", 0, fence, kOneSide, 1);
  row("quiet", 0, quiet, kOneSide, 1);
  row("lock", 0, locked, kOneSide, 1);
  row("lock of all", 0, locked, kAllSides, 1);
  row("ping-pong by set and wait_until", 0, ping_pong, kAllSides, 2);
  sizes("ping-pong by put and wait_until", ping_pong_bytes, kAllSides, 2, 8, kLargest);
  woken();
  row("barrier_all", 0, barrier_all, kAllSides, 1);
  row("sync_all", 0, sync_all, kAllSides, 1);
  sizes("broadcast", broadcast, kAllSides, 1, 8, kLargest);
  sizes("collect", collect, kAllSides, 1, 8, kLargest);
  sizes("fcollect", fcollect, kAllSides, 1, 8, kLargest);
  sizes("alltoall", alltoall, kAllSides, 1, 8, kLargest);
  sizes("alltoalls", alltoalls, kAllSides, 1, 8, 65536);
  sizes("sum_to_all of long", sum_long, kAllSides, 1, 8, kLargest);
  sizes("max_to_all of double", max_double, kAllSides, 1, 8, kLargest);

  shmem_ctx_destroy(context);
  shmem_free(source);
  shmem_free(dest);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
