/* Atomics and fences between threads. The strong families hold in clients that promise one thread, too. */
#include "gasnet_tools.h"
#include "threads.h"

enum { kThreads = 4, kRounds = 20000 };

#if GASNETT_THREAD_SAFE
#define ATOMIC(operation) gasnett_atomic_##operation
#define ATOMIC32(operation) gasnett_atomic32_##operation
#define ATOMIC64(operation) gasnett_atomic64_##operation
#else
#define ATOMIC(operation) gasnett_strongatomic_##operation
#define ATOMIC32(operation) gasnett_strongatomic32_##operation
#define ATOMIC64(operation) gasnett_strongatomic64_##operation
#endif

static ATOMIC(t) sum = ATOMIC(init)(0);
static ATOMIC(t) countdown = ATOMIC(init)(kThreads * kRounds);
static ATOMIC(t) reached_zero = ATOMIC(init)(0);
static ATOMIC32(t) by_cas = ATOMIC32(init)(0);
static ATOMIC64(t) wide = ATOMIC64(init)(0);
static ATOMIC64(t) token = ATOMIC64(init)(0);
static ATOMIC64(t) taken = ATOMIC64(init)(0);

/* Returns in all threads at nearly the same time, so that what follows overlaps. Spins, because a thread that
 * is woken comes too late; yields now and then, because there may be fewer cores than threads. */
static unsigned arrived;
static void meet(unsigned threads, unsigned* meetings) {
  const unsigned everybody = threads * ++*meetings;
  __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
  for (unsigned spins = 1; __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < everybody; ++spins) {
    if (spins % 500 == 0) gasnett_sched_yield();
  }
}

/* No update is lost. */
static void* update(void* index) {
  const uint64_t mine = (uint64_t)(uintptr_t)index + 1;
  unsigned meetings = 0;
  meet(kThreads, &meetings);
  for (int round = 0; round < kRounds; ++round) {
    ATOMIC(increment)(&sum, 0);
    ATOMIC(subtract)(&sum, 3, 0);
    ATOMIC(add)(&sum, 4, 0);
    ATOMIC(decrement)(&sum, 0);
    ATOMIC(increment)(&sum, 0);
    if (ATOMIC(decrement_and_test)(&countdown, 0)) ATOMIC(increment)(&reached_zero, 0);
    uint32_t old;
    do {
      old = ATOMIC32(read)(&by_cas, 0);
    } while (!ATOMIC32(compare_and_swap)(&by_cas, old, old + 1, 0));
    ATOMIC64(add)(&wide, ((uint64_t)1 << 40) + 1, 0);
    /* What a swap puts in, exactly one swap takes out. */
    ATOMIC64(add)(&taken, ATOMIC64(swap)(&token, mine, 0), 0);
  }
  return NULL;
}

/* A number is seen whole, and no later than the flag that follows it. */
static ATOMIC64(t) pattern = ATOMIC64(init)(0);
static uint64_t message[kThreads];
static ATOMIC(t) flag[kThreads];

static void* pass_messages(void* index) {
  const int mine = (int)(uintptr_t)index, next = (mine + 1) % kThreads;
  for (unsigned round = 1; round <= kRounds / 20; ++round) {
    const uint64_t word = (uint64_t)round << 32 | round;
    ATOMIC64(set)(&pattern, word, 0);
    const uint64_t seen = ATOMIC64(read)(&pattern, 0);
    CHECK(seen >> 32 == (seen & 0xffffffffu));
    message[mine] = word;
    ATOMIC(set)(&flag[mine], round, GASNETT_ATOMIC_REL);
    while (ATOMIC(read)(&flag[next], GASNETT_ATOMIC_ACQ) < round) gasnett_sched_yield();
    CHECK(message[next] >= word);
    /* Wait until everybody has looked. */
    ATOMIC(increment)(&sum, GASNETT_ATOMIC_MB_PRE | GASNETT_ATOMIC_MB_POST);
    while (ATOMIC(read)(&sum, GASNETT_ATOMIC_ACQ) < round * kThreads) gasnett_sched_yield();
  }
  return NULL;
}

/* Fences by themselves: whoever sees y sees x; and two threads that each write and then read cannot both read
 * the old value. */
static unsigned x_of[2], y_of[2];
static unsigned written[2], seen[2];

static void put(unsigned* variable, unsigned value) { __atomic_store_n(variable, value, __ATOMIC_RELAXED); }
static unsigned get(const unsigned* variable) { return __atomic_load_n(variable, __ATOMIC_RELAXED); }

static void* fence(void* index) {
  const int mine = (int)(uintptr_t)index, other = 1 - mine;
  unsigned meetings = 0;
  meet(2, &meetings);
  for (unsigned round = 1; round <= kRounds; ++round) {
    put(&x_of[mine], round);
    gasnett_local_wmb();
    put(&y_of[mine], round);
    const unsigned y = get(&y_of[other]);
    gasnett_local_rmb();
    CHECK(get(&x_of[other]) >= y);
    gasnett_compiler_fence();
    gasnett_spinloop_hint();
  }
  for (unsigned round = 1; round <= kRounds / 4; ++round) {
    meet(2, &meetings);
    put(&written[mine], round);
    if (round % 2) {
      gasnett_local_mb();
    } else {
      gasnett_local_wmb();
    }
    put(&seen[mine], get(&written[other]));
    meet(2, &meetings);
    CHECK(get(&seen[0]) == round || get(&seen[1]) == round);
  }
  return NULL;
}

int main(void) {
  const uint64_t updates = (uint64_t)kThreads * kRounds;
  run_threads(kThreads, update);
  CHECK(ATOMIC(read)(&sum, 0) == 2 * updates);
  CHECK(ATOMIC(read)(&countdown, 0) == 0 && ATOMIC(read)(&reached_zero, 0) == 1);
  CHECK(ATOMIC32(read)(&by_cas, 0) == updates);
  CHECK(ATOMIC64(read)(&wide, 0) == (updates << 40) + updates);
  CHECK(ATOMIC64(read)(&taken, 0) + ATOMIC64(read)(&token, 0) == kRounds * (1 + 2 + 3 + 4));

  ATOMIC(set)(&sum, 0, 0);
  run_threads(kThreads, pass_messages);

  arrived = 0;
  run_threads(2, fence);
  gasnett_weak_mb();
  gasnett_weak_rmb();
  gasnett_weak_wmb();
  return 0;
}
